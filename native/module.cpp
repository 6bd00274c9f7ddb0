// The compiled half of suffice: arrays in, arrays out. It knows nothing of Bayes; of Python's objects, texts.cpp alone
// knows one type, strings.
#include "text.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Counting kernels: arrays in, arrays out.";
    nb::set_leak_warnings(false);  // a model that lives until Python exits is not a leak
    nb::class_<suffice::Rule>(m, "Rule", "What a value must be: least <= x <= most, and a whole number if `whole`.")
        .def(nb::init<double, double, bool>(), nb::arg("least"), nb::arg("most"), nb::arg("whole") = false);
    suffice::in_every_child([] { suffice::Crew::at_work() = 0; });  // a forked child starts with no calls running
    suffice::bind_dense(m);
    suffice::bind_sparse(m);
    suffice::bind_evidence(m);
    suffice::bind_distance(m);
    suffice::bind_columns(m);
    suffice::bind_rows(m);
    suffice::bind_joint(m);
    suffice::bind_joint_tables(m);
    suffice::bind_residuals(m);
    suffice::bind_word_residuals(m);
    suffice::bind_bins(m);
    suffice::bind_texts(m);
    suffice::bind_text_counts(m);
    suffice::bind_text_matrix(m);
    suffice::bind_text_scores(m);
}

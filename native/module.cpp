// The compiled half of suffice: arrays in, arrays out. It knows nothing of Python objects or of Bayes.
#include <pthread.h>

#include "bind.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Counting kernels: arrays in, arrays out.";
    nb::set_leak_warnings(false);  // a model that lives until Python ends is no leak
    nb::class_<suffice::Rule>(m, "Rule", "What a value must be: least <= x <= most, and whole if asked.")
        .def(nb::init<double, double, bool>(), nb::arg("least"), nb::arg("most"), nb::arg("whole") = false);
    pthread_atfork(nullptr, nullptr, [] { suffice::Crew::at_work() = 0; });  // a child starts with no calls at work
    suffice::bind_dense(m);
    suffice::bind_sparse(m);
    suffice::bind_text(m);
}

// Finds texts in memory, and merges lists of words. Strings are accessed while the interpreter is held.
#include "text.hpp"

namespace suffice {

// Letters whose lower case depends on their neighbours, or is several letters: Python lowers documents that contain them.
bool holds_any(std::string_view text, const std::vector<std::string>& patterns) {
    if (patterns.empty() || is_ascii(reinterpret_cast<const Byte*>(text.data()), text.size())) return false;
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return holds(text, p); });
}

std::vector<std::string> read_patterns(const nb::list& patterns) {
    std::vector<std::string> out;
    for (nb::handle p : patterns) out.emplace_back(nb::cast<nb::bytes>(p).c_str(), nb::cast<nb::bytes>(p).size());
    return out;
}

nb::bytes utf8(PyObject* text) {
    PyObject* bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    if (!bytes) nb::raise_python_error();
    return nb::steal<nb::bytes>(bytes);
}

// Returns the bytes of a plain ASCII string, in place; nothing for other strings, which are not stored as UTF-8.
const char* ascii(PyObject* text, Py_ssize_t& size) {
#if defined(Py_LIMITED_API)
    static PyObject* const asks = PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyUnicode_Type), "isascii");
    const nb::object answer = nb::steal(PyObject_Vectorcall(asks, &text, 1, nullptr));
    if (!answer.is_valid()) nb::raise_python_error();
    if (!answer.is(nb::handle(Py_True))) return nullptr;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) nb::raise_python_error();
    return bytes;
#else
    if (!PyUnicode_IS_ASCII(text)) return nullptr;
    size = PyUnicode_GET_LENGTH(text);
    return static_cast<const char*>(PyUnicode_DATA(text));
#endif
}

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

void add_text(Texts& out, nb::object text, const std::vector<std::string>& patterns, bool ours) {
    Py_ssize_t size;
    if (const char* plain = ascii(text.ptr(), size)) {
        out.views.emplace_back(plain, size);
        if (ours) out.owners.push_back(text);
        return;
    }
    nb::bytes bytes = utf8(text.ptr());
    std::string_view view = view_of(bytes);
    if (holds_any(view, patterns)) {
        bytes = utf8(text.attr("lower")().ptr());
        view = view_of(bytes);
    }
    out.views.push_back(view);
    out.owners.push_back(std::move(bytes));
}

Texts texts_of_list(nb::list documents, nb::list patterns) {
    Texts out;
    const auto special = read_patterns(patterns);
    out.views.reserve(documents.size());
    out.owners.push_back(documents);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        nb::object text = documents[i];
        if (!PyUnicode_Check(text.ptr())) {
            out.bad = static_cast<Index>(i);
            return out;
        }
        add_text(out, text, special, false);
    }
    return out;
}

// Returns the strings of an Arrow array, read in place.
template <class Offset>
Texts texts_of_arrow(Bytes data, Vector<Offset> offset, nb::list patterns, int threads) {
    Texts out;
    const auto special = read_patterns(patterns);
    const auto* all = reinterpret_cast<const char*>(data.data());
    const Index size = data.shape(0), count = static_cast<Index>(offset.shape(0)) - 1;
    out.owners.push_back(nb::cast(data));
    out.owners.push_back(nb::cast(offset));
    out.views.resize(count);
    for (Index i = 0; i < count; ++i) {
        const Index begin = offset.data()[i], end = offset.data()[i + 1];
        if (begin < 0 || end < begin || end > size) throw std::invalid_argument("offsets do not fit their data");
        out.views[i] = {all + begin, static_cast<std::size_t>(end - begin)};
    }
    std::vector<char> held(count, 0);
    {
        nb::gil_scoped_release release;
        constexpr Index at_once = 1024;
        parallel_for((count + at_once - 1) / at_once, threads, [&](Index part) {
            const Index end = std::min(count, (part + 1) * at_once);
            for (Index i = part * at_once; i < end; ++i) held[i] = holds_any(out.views[i], special);
        });
    }
    for (Index i = 0; i < count; ++i) {
        if (!held[i]) continue;
        Texts lowered;
        const auto bytes = static_cast<Py_ssize_t>(out.views[i].size());
        PyObject* text = PyUnicode_DecodeUTF8(out.views[i].data(), bytes, "replace");
        if (!text) nb::raise_python_error();
        add_text(lowered, nb::steal(text), special, true);
        out.views[i] = lowered.views[0];
        out.owners.push_back(lowered.owners[0]);
    }
    return out;
}

// Returns a hash of each text, by its bytes.
nb::object text_hashes(const Texts& texts) {
    std::vector<std::uint64_t> out(texts.views.size());
    std::vector<Byte> room;  // readable beyond a text's end
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::string_view text = texts.views[i];
        if (room.size() < text.size() + slack) room.resize(2 * text.size() + slack);
        if (!text.empty()) std::memcpy(room.data(), text.data(), text.size());
        out[i] = hash_bytes(room.data(), text.size());
    }
    return to_numpy(std::move(out));
}

// Merges two sorted lists of words: returns their union, and the place of each list's words in it.
nb::tuple merge_words(Bytes a, Vector<Index> a_offset, Bytes b, Vector<Index> b_offset) {
    auto word = [](const Bytes& bytes, const Vector<Index>& offset, std::size_t i) {
        const Index begin = offset.data()[i], end = offset.data()[i + 1];
        if (begin < 0 || end < begin || end > static_cast<Index>(bytes.shape(0))) {
            throw std::invalid_argument("offsets do not fit their data");
        }
        return std::string_view(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
    };
    std::vector<std::uint8_t> bytes;
    std::vector<Index> offset{0}, a_place, b_place;
    const std::size_t n = a_offset.shape(0) - 1, m = b_offset.shape(0) - 1;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        const int order = i == n ? 1 : j == m ? -1 : word(a, a_offset, i).compare(word(b, b_offset, j));
        const std::string_view next = order <= 0 ? word(a, a_offset, i) : word(b, b_offset, j);
        if (order <= 0) a_place.push_back(offset.size() - 1), ++i;
        if (order >= 0) b_place.push_back(offset.size() - 1), ++j;
        bytes.insert(bytes.end(), next.begin(), next.end());
        offset.push_back(static_cast<Index>(bytes.size()));
    }
    return nb::make_tuple(to_numpy(std::move(bytes)), to_numpy(std::move(offset)), to_numpy(std::move(a_place)),
                          to_numpy(std::move(b_place)));
}

// Returns whether words fill all of the bytes one after another, sorted and distinct.
bool words_in_order(Bytes bytes, Vector<Index> offset) {
    const std::size_t ends = offset.shape(0);
    if (ends == 0 || offset.data()[0] != 0 || offset.data()[ends - 1] != static_cast<Index>(bytes.shape(0))) return false;
    for (std::size_t i = 0; i + 1 < ends; ++i) {
        if (offset.data()[i + 1] < offset.data()[i]) return false;
    }
    const auto* all = reinterpret_cast<const char*>(bytes.data());
    std::string_view before;
    for (std::size_t i = 0; i + 1 < ends; ++i) {
        const std::string_view word(all + offset.data()[i], offset.data()[i + 1] - offset.data()[i]);
        if (i > 0 && !(before < word)) return false;
        before = word;
    }
    return true;
}

void bind_texts(nb::module_& m) {
    nb::class_<Texts>(m, "Texts", "Documents somewhere in memory.")
        .def_static("of_list", &texts_of_list, nb::arg("documents"), nb::arg("patterns"))
        .def_static("of_arrow", &texts_of_arrow<std::int32_t>, nb::arg("data").noconvert(),
                    nb::arg("offset").noconvert(), nb::arg("patterns"), nb::arg("threads"))
        .def_static("of_arrow", &texts_of_arrow<std::int64_t>, nb::arg("data").noconvert(),
                    nb::arg("offset").noconvert(), nb::arg("patterns"), nb::arg("threads"))
        .def("part",
             [](nb::handle self, Index begin, Index end) {
                 const auto& all = nb::cast<const Texts&>(self);
                 if (begin < 0 || end < begin || end > static_cast<Index>(all.views.size())) {
                     throw std::out_of_range("no such part");
                 }
                 return Texts{{all.views.begin() + begin, all.views.begin() + end}, {nb::borrow(self)}, -1};
             })
        .def("hashes", &text_hashes)
        .def_ro("bad", &Texts::bad)
        .def_prop_ro("size", &Texts::bytes)
        .def("__len__", [](const Texts& t) { return t.views.size(); });
    nb::class_<Analysis>(m, "Analysis", "How documents become tokens.")
        .def(nb::init<Vector<std::uint32_t>, const std::string&, int, int, const Texts&>(), nb::arg("table").noconvert(),
             nb::arg("unit"), nb::arg("shortest"), nb::arg("longest"), nb::arg("stop_words"));
    m.def("merge_words", &merge_words, nb::arg("a").noconvert(), nb::arg("a_offset").noconvert(),
          nb::arg("b").noconvert(), nb::arg("b_offset").noconvert());
    m.def("words_in_order", &words_in_order, nb::arg("bytes").noconvert(), nb::arg("offset").noconvert());
}

}  // namespace suffice

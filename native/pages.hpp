// Memory for large tables that are read at random: in pages of two megabytes where the system has them, because to find out
// where one of many small pages lies takes longer than to read it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace suffice {

template <class Value>
struct LargePages {
    using value_type = Value;
    static constexpr std::size_t page = std::size_t{1} << 21;

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other>&) {}

    Value* allocate(std::size_t count) {
        const std::size_t least = count * sizeof(Value), unit = least >= page ? page : 64;
        const std::size_t bytes = (least + unit - 1) / unit * unit;
        void* place = std::aligned_alloc(unit, bytes);
        if (!place) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (unit == page) madvise(place, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<Value*>(place);
    }
    void deallocate(Value* place, std::size_t) { std::free(place); }

    template <class Other>
    bool operator==(const LargePages<Other>&) const {
        return true;
    }
};

}  // namespace suffice

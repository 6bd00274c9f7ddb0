// Memory for large tables that are read at random: in pages of two megabytes where the system has them, because to find out
// where one of many small pages lies takes longer than to read it.
#pragma once

#include <cstddef>
#include <cstdint>
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

    // A page or more comes from the system and goes back to it: the heap would keep what tables leave behind as they grow.
    Value* allocate(std::size_t count) {
        const std::size_t least = count * sizeof(Value);
        if (least >= page) return static_cast<Value*>(map(whole(least)));
        void* place = std::aligned_alloc(64, (least + 63) / 64 * 64);
        if (!place) throw std::bad_alloc();
        return static_cast<Value*>(place);
    }

    void deallocate(Value* place, std::size_t count) {
#if defined(__linux__)
        if (count * sizeof(Value) >= page) {
            munmap(place, whole(count * sizeof(Value)));
            return;
        }
#endif
        std::free(place);
    }

    static std::size_t whole(std::size_t bytes) { return (bytes + page - 1) / page * page; }

    static void* map(std::size_t bytes) {
#if defined(__linux__)
        void* found = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) throw std::bad_alloc();
        char* begin = static_cast<char*>(found);
        const std::size_t skip = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
        if (skip) munmap(begin, skip);
        if (skip < page) munmap(begin + skip + bytes, page - skip);
#if defined(MADV_HUGEPAGE)
        madvise(begin + skip, bytes, MADV_HUGEPAGE);
#endif
        return begin + skip;
#else
        void* place = std::aligned_alloc(page, bytes);
        if (!place) throw std::bad_alloc();
        return place;
#endif
    }

    template <class Other>
    bool operator==(const LargePages<Other>&) const {
        return true;
    }
};

}  // namespace suffice

// Memory for large tables that are read at random, in pages of two megabytes if the system has them: with many small pages,
// translating an address takes longer than reading it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__linux__) && !defined(SUFFICE_PLAIN_CPP)
#define SUFFICE_MAPS
#include <sys/mman.h>
#endif

namespace suffice {

template <class Value>
struct LargePages {
    using value_type = Value;
    static constexpr std::size_t page = std::size_t{1} << 21;
    static constexpr std::align_val_t line{64};

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other>&) {}

    // Large blocks come from the system and return to it; the heap would keep what growing tables leave behind.
    Value* allocate(std::size_t count) {
        const std::size_t least = count * sizeof(Value);
        return static_cast<Value*>(least >= page ? map(whole(least)) : ::operator new(least, line));
    }

    void deallocate(Value* place, std::size_t count) {
        if (count * sizeof(Value) >= page) {
            unmap(place, whole(count * sizeof(Value)));
        } else {
            ::operator delete(place, line);
        }
    }

    static std::size_t whole(std::size_t bytes) { return (bytes + page - 1) / page * page; }

    static void* map(std::size_t bytes) {
#if defined(SUFFICE_MAPS)
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
        return ::operator new(bytes, line);
#endif
    }

    static void unmap(void* place, [[maybe_unused]] std::size_t bytes) {
#if defined(SUFFICE_MAPS)
        munmap(place, bytes);
#else
        ::operator delete(place, line);
#endif
    }

    template <class Other>
    bool operator==(const LargePages<Other>&) const {
        return true;
    }
};

// A large array that is filled later and not initialized.
template <class Value>
class Unset {
   public:
    using value_type = Value;

    explicit Unset(std::size_t count) : size_(count), at_(LargePages<Value>().allocate(count)) {}
    Unset(Unset&& other) noexcept : size_(other.size_), at_(std::exchange(other.at_, nullptr)) {}
    Unset(const Unset&) = delete;
    Unset& operator=(const Unset&) = delete;
    ~Unset() {
        if (at_) LargePages<Value>().deallocate(at_, size_);
    }

    Value* data() { return at_; }
    std::size_t size() const { return size_; }
    Value& operator[](std::size_t i) { return at_[i]; }

   private:
    std::size_t size_;
    Value* at_;
};

}  // namespace suffice

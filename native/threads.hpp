// Runs numbered tasks on a few threads. Threads live for one call: nothing survives a fork.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace suffice {

using Index = std::int64_t;

// Calls task(i) for i in [0, count). The order is free, so tasks must not share what they write.
template <class Task>
void parallel_for(Index count, int threads, Task task) {
    const Index workers = std::min<Index>(threads, count);
    if (workers <= 1) {
        for (Index i = 0; i < count; ++i) task(i);
        return;
    }
    std::atomic<Index> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto work = [&] {
        try {
            for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(i);
        } catch (...) {
            std::lock_guard guard(failure_lock);
            failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::jthread> pool;
    pool.reserve(workers - 1);
    for (Index i = 1; i < workers; ++i) {
        try {
            pool.emplace_back(work);
        } catch (const std::system_error&) {
            break;  // no more threads to be had: the ones we have do all the work
        }
    }
    work();
    pool.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace suffice

// Runs numbered tasks on a few threads. Threads live for one call: nothing survives a fork. Calls that run side by side
// share the threads they may use, so that ten of them on ten threads of Python do not start a hundred.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace suffice {

using Index = std::int64_t;

// The threads of one call: what other calls of the process left of `most`, but one at least.
class Crew {
   public:
    Crew(Index wanted, Index most) {
        Index others = at_work().load();
        do {
            size_ = std::min(wanted, std::max<Index>(1, most - others));
        } while (!at_work().compare_exchange_weak(others, others + size_));
    }
    ~Crew() { at_work() -= size_; }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    Index size() const { return size_; }

    static std::atomic<Index>& at_work() {
        static std::atomic<Index> count{0};
        return count;
    }

   private:
    Index size_;
};

// Threads that are waited for in the end. (std::jthread would do, but not every library has it.)
struct Joined {
    std::vector<std::thread> threads;

    ~Joined() {
        for (std::thread& thread : threads) thread.join();
    }
};

// Calls task(i) for i in [0, count). The order is free, so tasks must not share what they write.
template <class Task>
void parallel_for(Index count, int threads, Task task) {
    const Crew crew(std::min<Index>(threads, count), threads);
    const Index workers = crew.size();
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
    {
        Joined pool;
        pool.threads.reserve(workers - 1);
        for (Index i = 1; i < workers; ++i) {
            try {
                pool.threads.emplace_back(work);
            } catch (const std::system_error&) {
                break;  // no more threads to be had: the ones we have do all the work
            }
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

// Calls task(i, room) for i in [0, count); each thread has a room of its own, which it keeps from task to task.
template <class Room, class Task>
void parallel_for_with(Index count, int threads, Task task) {
    std::atomic<Index> next{0};
    parallel_for(std::min<Index>(threads, count), threads, [&](Index) {
        Room room;
        for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(i, room);
    });
}

}  // namespace suffice

// Runs numbered tasks on a few threads. Threads live for one call, so nothing survives a fork. Concurrent calls share the
// allowed threads, so that ten calls on ten Python threads do not start a hundred.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace suffice {

using Index = std::int64_t;

// The threads of one call: those of `most` that other calls of the process leave, but at least one.
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

// Calls call(task, i) for i in [0, count).
void run_tasks(Index count, int threads, void (*call)(void* task, Index i), void* task);

// Calls task(i) for i in [0, count). The order is arbitrary, so tasks must not share what they write. Threads are started
// in one place, which takes the task by address, so that the code is compiled once.
template <class Task>
void parallel_for(Index count, int threads, Task task) {
    run_tasks(count, threads, [](void* given, Index i) { (*static_cast<Task*>(given))(i); }, &task);
}

// Calls task(i, room) for i in [0, count); each thread has its own room, which it keeps from task to task.
template <class Room, class Task>
void parallel_for_with(Index count, int threads, Task task) {
    std::atomic<Index> next{0};
    parallel_for(std::min<Index>(threads, count), threads, [&](Index) {
        Room room;
        for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(i, room);
    });
}

}  // namespace suffice

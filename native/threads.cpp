#include "threads.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace suffice {
namespace {

// Threads that are joined in the end. (std::jthread would do, but not every standard library has it.)
struct Joined {
    std::vector<std::thread> threads;

    ~Joined() {
        for (std::thread& thread : threads) thread.join();
    }
};

}  // namespace

void run_tasks(Index count, int threads, void (*call)(void* task, Index i), void* task) {
    const Crew crew(std::min<Index>(threads, count), threads);
    const Index workers = crew.size();
    if (workers <= 1) {
        for (Index i = 0; i < count; ++i) call(task, i);
        return;
    }
    std::atomic<Index> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto work = [&] {
        try {
            for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) call(task, i);
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
                break;  // the system gives no more threads: those that run do all the work
            }
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace suffice

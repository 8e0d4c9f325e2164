// What a launch costs: batches of launches on one stream for each thread, and then a wait. "extended" is "arguments" by
// cuLaunchKernelEx.
#include "figures.hpp"
#include "rivals.hpp"

#include <sched.h>

namespace {

constexpr unsigned ELEMENTS = 32;
constexpr unsigned FACTOR = 3;
constexpr unsigned SEED = 7;

// Lets threads go at the same moment, round by round, without sleeping.
class SpinBarrier {
public:
    explicit SpinBarrier(int threads) : threads_(threads) {}

    void wait() {
        int round = round_.load();
        if (waiting_.fetch_add(1) + 1 == threads_) {
            waiting_.store(0);
            round_.fetch_add(1);
        } else {
            while (round_.load() == round) {
            }
        }
    }

private:
    int threads_;
    std::atomic<int> waiting_{0};
    std::atomic<int> round_{0};
};

// The cores that this process may run on.
std::vector<int> allowed_cores() {
    cpu_set_t set;
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int core = 0; core < CPU_SETSIZE; core++) {
            if (CPU_ISSET(core, &set)) {
                cores.push_back(core);
            }
        }
    }
    return cores;
}

// The calling thread runs on no other from now on.
void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        throw Refusal("no thread can be pinned to core " + std::to_string(core));
    }
}

struct Turn {
    Clock::time_point begin;
    Clock::time_point submitted;
    Clock::time_point end;
};

// One thread: its stream, its total, and the times of its batches.
class Launcher {
public:
    Launcher(const Gpu& gpu, const std::string& kind, CUdeviceptr in)
        : gpu_(gpu),
          kernel_(gpu.kernel(kind == "empty" ? "empty" : "accumulate")),
          extended_(kind == "extended"),
          in_(in),
          total_(ELEMENTS * sizeof(unsigned)) {
        CU(cuMemsetD32(total_, 0, ELEMENTS));
        CU(cuCtxSynchronize());
    }

    void run(SpinBarrier& barrier, int launches, int batches) {
        gpu_.enter();
        CUdeviceptr total = total_;
        unsigned factor = FACTOR;
        unsigned n = ELEMENTS;
        void* arguments[] = {&total, &in_, &factor, &n};
        CUlaunchConfig config{};
        config.gridDimX = config.gridDimY = config.gridDimZ = 1;
        config.blockDimX = ELEMENTS;
        config.blockDimY = config.blockDimZ = 1;
        config.hStream = stream_;
        for (int batch = 0; batch < batches; batch++) {
            barrier.wait();
            Turn turn;
            turn.begin = Clock::now();
            for (int i = 0; i < launches; i++) {
                if (extended_) {
                    CU(cuLaunchKernelEx(&config, kernel_, arguments, nullptr));
                } else {
                    CU(cuLaunchKernel(kernel_, 1, 1, 1, ELEMENTS, 1, 1, 0, stream_, arguments, nullptr));
                }
            }
            turn.submitted = Clock::now();
            stream_.wait();
            turn.end = Clock::now();
            turns_.push_back(turn);
        }
    }

    const std::vector<Turn>& turns() const { return turns_; }

    void expect_launches(unsigned launches) const {
        unsigned totals[ELEMENTS];
        CU(cuMemcpyDtoH(totals, total_, sizeof totals));
        for (unsigned i = 0; i < ELEMENTS; i++) {
            if (totals[i] != launches * FACTOR * pattern(i, SEED)) {
                throw std::runtime_error("launch: total " + std::to_string(i) + " is wrong");
            }
        }
    }

private:
    const Gpu& gpu_;
    CUfunction kernel_;
    bool extended_;
    CUdeviceptr in_;
    DeviceMemory total_;
    Stream stream_;
    std::vector<Turn> turns_;
};

// Microseconds a launch: until all threads' streams are done, and until all threads have submitted.
void report_turns(const std::string& name, const std::vector<std::unique_ptr<Launcher>>& launchers, int launches,
                  int skip) {
    std::vector<double> whole;
    std::vector<double> submitting;
    for (size_t turn = skip; turn < launchers[0]->turns().size(); turn++) {
        Turn all = launchers[0]->turns()[turn];
        for (const auto& launcher : launchers) {
            const Turn& one = launcher->turns()[turn];
            all.begin = std::min(all.begin, one.begin);
            all.submitted = std::max(all.submitted, one.submitted);
            all.end = std::max(all.end, one.end);
        }
        double count = static_cast<double>(launches) * launchers.size();
        whole.push_back(seconds(all.begin, all.end) * 1e6 / count);
        submitting.push_back(seconds(all.begin, all.submitted) * 1e6 / count);
    }
    report(name, "us", whole);
    report(name + " submitting", "us", submitting);
}

}  // namespace

void launch(const Gpu& gpu, Words& words) {
    std::string kind = words.next("kernel: empty, arguments or extended");
    if (kind != "empty" && kind != "arguments" && kind != "extended") {
        throw std::runtime_error("no such kernel: " + kind);
    }
    int threads = words.next<int>("number of threads");
    int launches = words.next<int>("launches of a batch");
    int batches = words.next<int>("number of batches");
    // Of the allowed cores, the first that a thread is pinned to; the others follow. None: threads go where they like.
    int first = words.next_or(-1);
    std::vector<int> cores = allowed_cores();
    if (first >= 0 && cores.size() < static_cast<size_t>(threads)) {
        throw Refusal(std::to_string(threads) + " threads cannot have a core each of " + std::to_string(cores.size()));
    }
    int warm = batches / 5 + 1;
    unsigned values[ELEMENTS];
    fill(values, ELEMENTS, SEED);
    DeviceMemory in(sizeof values);
    CU(cuMemcpyHtoD(in, values, sizeof values));
    std::vector<std::unique_ptr<Launcher>> launchers;
    for (int i = 0; i < threads; i++) {
        launchers.push_back(std::make_unique<Launcher>(gpu, kind, in));
    }
    SpinBarrier barrier(threads);
    std::vector<std::thread> running;
    for (int i = 0; i < threads; i++) {
        running.emplace_back([&, i] {
            if (first >= 0) {
                pin(cores[(first + i) % cores.size()]);
            }
            launchers[i]->run(barrier, launches, warm + batches);
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    if (kind != "empty") {
        for (const auto& launcher : launchers) {
            launcher->expect_launches(static_cast<unsigned>(launches) * (warm + batches));
        }
    }
    report_turns("launch " + kind + " " + std::to_string(threads), launchers, launches, warm);
}

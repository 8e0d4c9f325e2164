// Times of several pieces of device work that take turns, by events, and their figures as lines of an answer.
#pragma once

#include "driver.hpp"
#include "figures.hpp"

#include <cmath>
#include <functional>

struct Timed {
    // Starts the work once on a stream; turn: which of its buffers are next.
    std::function<void(CUstream, size_t)> start;
    std::vector<double> milliseconds;
};

class TimingEvent {
public:
    TimingEvent() { CU(cuEventCreate(&event_, CU_EVENT_DEFAULT)); }
    TimingEvent(TimingEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    ~TimingEvent() {
        if (event_) {
            cuEventDestroy(event_);
        }
    }
    operator CUevent() const { return event_; }

private:
    CUevent event_ = nullptr;
};

// Events are good to about half a microsecond.
constexpr double LEAST_MILLISECONDS = 0.4;
constexpr int MOST_STARTS = 64;

// Runs them turn by turn, one after the other in each, each time a batch of starts between two events; batch 0: as many
// as take the least time. One start that is not timed goes before each batch, since a kernel pays for the lines that the one
// before has left in the L2 to be written back. Everything is submitted without a wait behind a warm-up that keeps the
// device busy meanwhile, so that no time of the host's is in what is measured. Returns the batches.
inline std::vector<int> take_turns(CUstream stream, std::vector<Timed>& all, int turns, int batch,
                                   double warm_milliseconds = 100, double least_milliseconds = LEAST_MILLISECONDS) {
    TimingEvent before;
    TimingEvent after;
    std::vector<int> batches;
    double sum = 0;
    for (Timed& one : all) {
        one.start(stream, 0);
        CU(cuEventRecord(before, stream));
        one.start(stream, 1);
        one.start(stream, 2);
        CU(cuEventRecord(after, stream));
        CU(cuStreamSynchronize(stream));
        float taken;
        CU(cuEventElapsedTime(&taken, before, after));
        double each = std::max(taken / 2.0, 1e-3);
        batches.push_back(batch != 0 ? batch
                                     : static_cast<int>(std::min<double>(
                                               MOST_STARTS, std::max(1.0, std::ceil(least_milliseconds / each)))));
        sum += each;
    }
    size_t place = 0;
    int rounds = static_cast<int>(std::min(2000.0, std::max(2.0, warm_milliseconds / sum)));
    for (int i = 0; i < rounds; i++) {
        for (Timed& one : all) {
            one.start(stream, place++);
        }
    }
    std::vector<TimingEvent> events(all.size() * turns * 2);
    size_t next = 0;
    for (int turn = 0; turn < turns; turn++) {
        for (size_t side = 0; side < all.size(); side++) {
            all[side].start(stream, place++);
            CU(cuEventRecord(events[next++], stream));
            for (int i = 0; i < batches[side]; i++) {
                all[side].start(stream, place++);
            }
            CU(cuEventRecord(events[next++], stream));
        }
    }
    CU(cuStreamSynchronize(stream));
    next = 0;
    for (int turn = 0; turn < turns; turn++) {
        for (size_t side = 0; side < all.size(); side++) {
            float taken;
            CU(cuEventElapsedTime(&taken, events[next], events[next + 1]));
            all[side].milliseconds.push_back(taken / batches[side]);
            next += 2;
        }
    }
    return batches;
}

// One line of an answer: rates of an amount (bytes or operations) in 10^9 or 10^12 a second, and the times they are of.
inline void report_times(const std::string& name, const char* unit, double amount, double scale,
                         const std::vector<double>& milliseconds, const std::string& more) {
    std::vector<double> rates;
    for (double ms : milliseconds) {
        rates.push_back(amount / ms * 1e3 / scale);
    }
    std::sort(rates.begin(), rates.end());
    std::printf(
            "{\"name\":\"%s\",\"unit\":\"%s\",\"median\":%.6g,\"least\":%.6g,\"most\":%.6g,\"samples\":%zu,"
            "\"amount\":%.17g,%s\"milliseconds\":[",
            name.c_str(), unit, rates[rates.size() / 2], rates.front(), rates.back(), rates.size(), amount,
            more.c_str());
    for (size_t i = 0; i < milliseconds.size(); i++) {
        std::printf("%s%.6g", i == 0 ? "" : ",", milliseconds[i]);
    }
    std::printf("]}\n");
}

// The median of one side's time over another's of the same turn.
inline double ratio(const std::vector<double>& of, const std::vector<double>& to) {
    std::vector<double> each;
    for (size_t i = 0; i < of.size(); i++) {
        each.push_back(of[i] / to[i]);
    }
    std::sort(each.begin(), each.end());
    return each[each.size() / 2];
}

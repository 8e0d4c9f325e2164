// Times taken, results printed, and the pattern by which bytes are checked.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

// One line of an answer.
inline void report(const std::string& name, const char* unit, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    size_t last = values.size() - 1;
    std::printf("{\"name\":\"%s\",\"unit\":\"%s\",\"median\":%.9g,\"least\":%.9g,\"lower\":%.9g,\"upper\":%.9g,"
            "\"most\":%.9g,\"samples\":%zu}\n", name.c_str(), unit, values[values.size() / 2], values.front(),
            values[last / 4], values[last - last / 4], values.back(), values.size());
}

// Word i of the data that a seed stands for.
inline unsigned pattern(size_t i, unsigned seed) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + static_cast<unsigned>(i >> 32) + seed;
    return x ^ (x >> 15);
}

// Calls body(from, to) for parts of [0, n) on as many threads as there are cores.
template <typename Body>
void in_parallel(size_t n, Body body) {
    size_t count = std::max(1u, std::thread::hardware_concurrency());
    size_t part = (n + count - 1) / count;
    std::vector<std::thread> threads;
    for (size_t from = 0; from < n; from += part) {
        threads.emplace_back(body, from, std::min(n, from + part));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

inline void fill(unsigned* words, size_t n, unsigned seed) {
    in_parallel(n, [=](size_t from, size_t to) {
        for (size_t i = from; i < to; i++) {
            words[i] = pattern(i, seed);
        }
    });
}

// Throws where a word is not the pattern's plus a value.
inline void expect(const unsigned* words, size_t n, unsigned seed, unsigned plus, const std::string& what) {
    std::atomic<size_t> wrong{n};
    in_parallel(n, [&](size_t from, size_t to) {
        for (size_t i = from; i < to; i++) {
            if (words[i] != pattern(i, seed) + plus) {
                size_t least = wrong.load();
                while (i < least && !wrong.compare_exchange_weak(least, i)) {
                }
                return;
            }
        }
    });
    if (wrong < n) {
        throw std::runtime_error(what + ": word " + std::to_string(wrong) + " of " + std::to_string(n) + " is wrong");
    }
}

// The commands of the rivals program, one function each.
#pragma once

#include "driver.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

using Gpus = std::vector<std::unique_ptr<Gpu>>;

// What is asked for cannot be done, here or at all; the program goes on.
class Refusal : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What a kernel made is wrong; the program goes on.
class Wrong : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The rest of a command line, word by word.
class Words {
public:
    explicit Words(const std::string& line) : stream_(line) {}

    template <typename T = std::string>
    T next(const char* what) {
        T value;
        if (!(stream_ >> value)) {
            throw Refusal(std::string("the command lacks its ") + what);
        }
        return value;
    }

    // The next word, or a value where there is none.
    template <typename T>
    T next_or(T otherwise) {
        T value;
        return stream_ >> value ? value : otherwise;
    }

private:
    std::istringstream stream_;
};

void launch(const Gpu& gpu, Words& words);
void copy(const Gpu& gpu, Words& words);
void stream(const Gpus& gpus, Words& words);

// The commands of the rivals program, one function each.
#pragma once

#include "driver.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

using Gpus = std::vector<std::unique_ptr<Gpu>>;

// The rest of a command line, word by word.
class Words {
public:
    explicit Words(const std::string& line) : stream_(line) {}

    template <typename T = std::string>
    T next(const char* what) {
        T value;
        if (!(stream_ >> value)) {
            throw std::runtime_error(std::string("the command lacks its ") + what);
        }
        return value;
    }

private:
    std::istringstream stream_;
};

void launch(const Gpu& gpu, Words& words);
void copy(const Gpu& gpu, Words& words);
void stream(const Gpus& gpus, Words& words);

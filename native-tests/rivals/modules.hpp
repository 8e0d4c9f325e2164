// Kernels of the .cu files beside the program, each file's loaded when it is first used.
#pragma once

#include "driver.hpp"

#include <map>

class Modules {
public:
    explicit Modules(std::string folder) : folder_(std::move(folder)) {}

    CUfunction kernel(const std::string& file, const std::string& name) {
        auto found = modules_.find(file);
        if (found == modules_.end()) {
            CUmodule module;
            CU(cuModuleLoadData(&module, bytes_of(folder_ + "/" + file + ".cubin").data()));
            found = modules_.emplace(file, module).first;
        }
        CUfunction function;
        CU(cuModuleGetFunction(&function, found->second, name.c_str()));
        return function;
    }

private:
    std::string folder_;
    std::map<std::string, CUmodule> modules_;
};

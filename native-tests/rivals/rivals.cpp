// Reads commands and runs them: README.md lists them.
#include "rivals.hpp"

#include <iostream>

namespace {

std::string folder_of(const std::string& program) {
    size_t slash = program.rfind('/');
    return slash == std::string::npos ? "." : program.substr(0, slash);
}

void describe(const Gpus& gpus) {
    int version;
    CU(cuDriverGetVersion(&version));
    for (const auto& gpu : gpus) {
        std::printf("{\"gpu\":\"%s\",\"cuda\":%d}\n", gpu->name().c_str(), version);
    }
}

void run(const Gpus& gpus, const std::string& line) {
    Words words(line);
    std::string verb = words.next("verb");
    gpus[0]->enter();
    if (verb == "gpus") {
        describe(gpus);
    } else if (verb == "launch") {
        launch(*gpus[0], words);
    } else if (verb == "copy") {
        copy(*gpus[0], words);
    } else if (verb == "stream") {
        stream(gpus, words);
    } else {
        throw std::runtime_error("no such command: " + verb);
    }
    std::printf("{\"done\":\"%s\"}\n", verb.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        CU(cuInit(0));
        int devices;
        CU(cuDeviceGetCount(&devices));
        Gpus gpus;
        for (int i = 0; i < devices; i++) {
            gpus.push_back(std::make_unique<Gpu>(i, folder_of(arguments[0]) + "/kernels.cubin"));
        }
        if (gpus.empty()) {
            throw std::runtime_error("no GPU");
        }
        std::string line;
        if (count > 1) {
            for (int i = 1; i < count; i++) {
                line += std::string(arguments[i]) + " ";
            }
            run(gpus, line);
            return 0;
        }
        while (std::getline(std::cin, line)) {
            run(gpus, line);
        }
        return 0;
    } catch (const std::exception& e) {
        std::printf("{\"error\":\"%s\"}\n", e.what());
        return 1;
    }
}

// Reads commands and runs them: README.md lists them.
#include "rivals.hpp"

#include "measure.hpp"

#include <iostream>

namespace {

std::string folder_of(const std::string& program) {
    size_t slash = program.rfind('/');
    return slash == std::string::npos ? "." : program.substr(0, slash);
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + "\"";
}

void describe(const Gpus& gpus) {
    int version;
    CU(cuDriverGetVersion(&version));
    for (const auto& gpu : gpus) {
        std::printf("{\"gpu\":\"%s\",\"cuda\":%d}\n", gpu->name().c_str(), version);
    }
}

void run(const Gpus& gpus, Modules& modules, const std::string& line) {
    Words words(line);
    std::string verb = words.next("verb");
    gpus[0]->enter();
    if (verb == "gpus") {
        describe(gpus);
    } else if (verb == "list") {
        list();
    } else if (verb == "kernel") {
        kernel(*gpus[0], modules, words);
    } else if (verb == "release") {
        release();
    } else if (verb == "launch") {
        launch(*gpus[0], words);
    } else if (verb == "copy") {
        copy(*gpus[0], words);
    } else if (verb == "stream") {
        stream(gpus, words);
    } else {
        throw Refusal("no such command: " + verb);
    }
    std::printf("{\"done\":%s}\n", quoted(verb).c_str());
    std::fflush(stdout);
}

// kind: what became of the command, beside what is said about it.
void fail(const char* kind, const std::exception& e) {
    std::printf("{\"error\":%s,\"kind\":\"%s\"}\n", quoted(e.what()).c_str(), kind);
    std::fflush(stdout);
}

// Whether it was done. What the driver refuses is thrown on: its context may be of no more use.
bool answered(const Gpus& gpus, Modules& modules, const std::string& line) {
    try {
        run(gpus, modules, line);
        return true;
    } catch (const Refusal& e) {
        fail("refused", e);
    } catch (const Wrong& e) {
        fail("wrong", e);
    }
    return false;
}

} // namespace

int main(int count, char** arguments) {
    try {
        CU(cuInit(0));
        int devices;
        CU(cuDeviceGetCount(&devices));
        Gpus gpus;
        Modules modules(folder_of(arguments[0]));
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
            return answered(gpus, modules, line) ? 0 : 1;
        }
        bool all = true;
        while (std::getline(std::cin, line)) {
            all &= answered(gpus, modules, line);
        }
        return all ? 0 : 1;
    } catch (const std::exception& e) {
        fail("failed", e);
        return 1;
    }
}

// What of cuBLASLt the products are measured with, loaded where there is one: its headers are not needed. Facts from
// its documentation and from CUDA's library_types.h.
#pragma once

#include "rivals.hpp"

#include <dlfcn.h>

#include <cstdint>

enum class Scalar : int { F32 = 0, F16 = 2, BF16 = 14, F8_E4M3 = 28 };
enum class Compute : int { F32 = 68, FAST_TF32 = 77 };

class CublasLt {
public:
    using Handle = void*;

    struct Algorithm {
        uint64_t data[8];
    };

    struct Heuristic {
        Algorithm algorithm;
        size_t workspace;
        int state;
        float waves;
        int reserved[4];
    };

    enum DescriptionAttribute { TRANSPOSE_A = 3, TRANSPOSE_B = 4, FAST_ACCUMULATION = 25 };
    enum PreferenceAttribute { MOST_WORKSPACE = 1 };
    enum Transposition : int { AS_IT_IS = 0, TRANSPOSED = 1 };

    // Throws Refusal where there is none.
    CublasLt() {
        for (const char* name :
             {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so", "/usr/local/cuda/lib64/libcublasLt.so"}) {
            if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) {
                break;
            }
        }
        if (!library_) {
            throw Refusal("no libcublasLt.so.13 or .12 in the toolkit or on LD_LIBRARY_PATH");
        }
        check(function<int (*)(Handle*)>("cublasLtCreate")(&handle_), "cublasLtCreate");
    }
    CublasLt(const CublasLt&) = delete;

    size_t version() const { return function<size_t (*)()>("cublasLtGetVersion")(); }

    template <typename F>
    F function(const char* name) const {
        void* found = dlsym(library_, name);
        if (!found) {
            throw Refusal(std::string("this cuBLASLt has no ") + name);
        }
        return reinterpret_cast<F>(found);
    }

    static void check(int status, const char* call) {
        if (status != 0) {
            throw Refusal(std::string(call) + " gives status " + std::to_string(status));
        }
    }

    Handle handle() const { return handle_; }

private:
    void* library_ = nullptr;
    Handle handle_ = nullptr;
};

// A descriptor of the library's that it makes and destroys.
class LtObject {
public:
    template <typename... Arguments>
    LtObject(const CublasLt& lt, const std::string& kind, Arguments... arguments) : lt_(lt), kind_(kind) {
        CublasLt::check(lt.function<int (*)(void**, Arguments...)>(("cublasLt" + kind + "Create").c_str())(
                                &object_, arguments...),
                        kind.c_str());
    }
    LtObject(const LtObject&) = delete;
    ~LtObject() { lt_.function<int (*)(void*)>(("cublasLt" + kind_ + "Destroy").c_str())(object_); }

    template <typename T>
    void set(int attribute, T value) {
        CublasLt::check(
                lt_.function<int (*)(void*, int, const void*, size_t)>(("cublasLt" + kind_ + "SetAttribute").c_str())(
                        object_, attribute, &value, sizeof value),
                kind_.c_str());
    }

    operator void*() const { return object_; }

private:
    const CublasLt& lt_;
    std::string kind_;
    void* object_ = nullptr;
};

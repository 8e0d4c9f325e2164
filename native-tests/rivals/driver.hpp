// What every rival needs of the driver API: errors as exceptions, and handles that free what they hold.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

inline void check(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) {
        const char* name = nullptr;
        cuGetErrorName(result, &name);
        throw std::runtime_error(std::string(call) + ": " + (name ? name : std::to_string(result)));
    }
}

#define CU(call) ::check(call, #call)

inline std::vector<char> bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

// A device's primary context and the kernels of this folder, loaded in it.
class Gpu {
public:
    Gpu(int index, const std::string& cubin) {
        CU(cuDeviceGet(&device_, index));
        CU(cuDevicePrimaryCtxRetain(&context_, device_));
        enter();
        CU(cuModuleLoadData(&module_, bytes_of(cubin).data()));
    }
    Gpu(const Gpu&) = delete;
    ~Gpu() { cuDevicePrimaryCtxRelease(device_); }

    // Makes this GPU's context the calling thread's.
    void enter() const { CU(cuCtxSetCurrent(context_)); }

    CUfunction kernel(const char* name) const {
        CUfunction function;
        CU(cuModuleGetFunction(&function, module_, name));
        return function;
    }

    int attribute(CUdevice_attribute attribute) const {
        int value;
        CU(cuDeviceGetAttribute(&value, attribute, device_));
        return value;
    }

    std::string name() const {
        char text[256];
        CU(cuDeviceGetName(text, sizeof text, device_));
        return text;
    }

private:
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    CUmodule module_ = nullptr;
};

class Stream {
public:
    Stream() { CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)); }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    ~Stream() {
        if (stream_) {
            cuStreamDestroy(stream_);
        }
    }
    operator CUstream() const { return stream_; }
    void wait() const { CU(cuStreamSynchronize(stream_)); }

private:
    CUstream stream_ = nullptr;
};

class DeviceMemory {
public:
    explicit DeviceMemory(size_t bytes) { CU(cuMemAlloc(&address_, bytes)); }
    DeviceMemory(DeviceMemory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
    ~DeviceMemory() {
        if (address_) {
            cuMemFree(address_);
        }
    }
    operator CUdeviceptr() const { return address_; }

private:
    CUdeviceptr address_ = 0;
};

// Page-locked host memory that every GPU of the process may copy from and to.
class PinnedMemory {
public:
    explicit PinnedMemory(size_t bytes) {
        CU(cuMemHostAlloc(&address_, bytes, CU_MEMHOSTALLOC_PORTABLE));
    }
    PinnedMemory(PinnedMemory&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
    ~PinnedMemory() {
        if (address_) {
            cuMemFreeHost(address_);
        }
    }
    unsigned* words() const { return static_cast<unsigned*>(address_); }
    char* bytes() const { return static_cast<char*>(address_); }

private:
    void* address_ = nullptr;
};

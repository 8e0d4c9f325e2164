// product TYPE COLUMNS|ROWS M N K SEED TURNS: C = A B by cuBLASLt, with the algorithm that it names first and with the
// fastest of those that it names; checked on small whole numbers, timed on normally distributed ones. Asked for the same
// again and again, it is warmed up and takes its turns each time, so that others can take theirs between.
#include "cublas_lt.hpp"
#include "measure.hpp"
#include "turns.hpp"

namespace {

constexpr size_t WORKSPACE = 64ul << 20;
constexpr int MOST_ALGORITHMS = 12;

// most: of the whole numbers that it is checked on, so that every sum is exact as the units add (8-bit products' sums
// keep fewer bits than f32 has).
struct Type {
    const char* name;
    const char* operands; // names of kernels in products.cu
    const char* result;
    Scalar in;
    Scalar out;
    Compute compute;
    size_t in_bytes;
    size_t out_bytes;
    int most;
};

constexpr Type TYPES[] = {
        {"f16", "f16", "f16", Scalar::F16, Scalar::F16, Compute::F32, 2, 2, 4},
        {"bf16", "bf16", "bf16", Scalar::BF16, Scalar::BF16, Compute::F32, 2, 2, 4},
        {"tf32", "f32", "f32", Scalar::F32, Scalar::F32, Compute::FAST_TF32, 4, 4, 4},
        {"f32", "f32", "f32", Scalar::F32, Scalar::F32, Compute::F32, 4, 4, 4},
        {"f8", "f8", "bf16", Scalar::F8_E4M3, Scalar::BF16, Compute::F32, 1, 2, 2},
};

const Type& type(const std::string& name) {
    for (const Type& one : TYPES) {
        if (name == one.name) {
            return one;
        }
    }
    throw Refusal("there is no product of '" + name + "': f16, bf16, tf32, f32, f8");
}

const CublasLt& library() {
    static const CublasLt lt;
    return lt;
}

class Product {
public:
    Product(const Gpu& gpu, Modules& modules, const Type& type, bool by_columns, unsigned m, unsigned n, unsigned k,
            unsigned seed)
        : gpu_(gpu),
          modules_(modules),
          lt_(library()),
          type_(type),
          by_columns_(by_columns),
          m_(m),
          n_(n),
          k_(k),
          seed_(seed),
          a_(type.in_bytes * m * k),
          b_(type.in_bytes * n * k),
          c_(type.out_bytes * m * n),
          workspace_(WORKSPACE),
          result_(16),
          description_(lt_, "MatmulDesc", static_cast<int>(type.compute), static_cast<int>(Scalar::F32)),
          // The library's matrices lie column by column: C's transpose is B's times A's.
          b_layout_(lt_, "MatrixLayout", static_cast<int>(type.in), uint64_t{by_columns ? k : n},
                    uint64_t{by_columns ? n : k}, int64_t{by_columns ? k : n}),
          a_layout_(lt_, "MatrixLayout", static_cast<int>(type.in), uint64_t{k}, uint64_t{m}, int64_t{k}),
          c_layout_(lt_, "MatrixLayout", static_cast<int>(type.out), uint64_t{n}, uint64_t{m}, int64_t{n}) {
        description_.set(CublasLt::TRANSPOSE_A, by_columns ? CublasLt::TRANSPOSED : CublasLt::AS_IT_IS);
        description_.set(CublasLt::TRANSPOSE_B, CublasLt::AS_IT_IS);
        if (type.in == Scalar::F8_E4M3) {
            description_.set(CublasLt::FAST_ACCUMULATION, int8_t{1});
        }
        ask();
    }

    void check(const CublasLt::Algorithm& algorithm, const char* which) {
        make(type_.most);
        CU(cuMemsetD8Async(c_, 0xCD, type_.out_bytes * m_ * n_, stream_));
        start(stream_, algorithm);
        CUdeviceptr c = c_;
        CUdeviceptr result = result_;
        unsigned long long found[2] = {0, ~0ull};
        CU(cuMemcpyHtoDAsync(result, found, sizeof found, stream_));
        int most = type_.most;
        void* arguments[] = {&c, &m_, &n_, &k_, &by_columns_, &seed_, &most, &result};
        CU(cuLaunchKernel(modules_.kernel("products", (std::string("check_") + type_.result).c_str()), (n_ + 31) / 32,
                          (m_ + 31) / 32, 1, 32, 32, 1, 0, stream_, arguments, nullptr));
        CU(cuMemcpyDtoHAsync(found, result, sizeof found, stream_));
        stream_.wait();
        if (found[0] != 0) {
            throw Wrong(std::string("cuBLASLt's ") + which + " algorithm for " + type_.name + ": "
                        + std::to_string(found[0]) + " of " + std::to_string(static_cast<size_t>(m_) * n_)
                        + " elements are wrong, the first is number " + std::to_string(found[1]));
        }
    }

    void measure(int turns) {
        make(0);
        if (!searched_) {
            search();
        }
        const auto& first = algorithms_[0].algorithm;
        const auto& fastest = algorithms_[best_].algorithm;
        Timed first_one = sustained(first, turns);
        Timed fastest_one = sustained(fastest, turns);
        check(first, "first");
        check(fastest, "fastest");
        double operations = 2.0 * m_ * n_ * k_;
        std::string common = std::string("\"type\":\"") + type_.name + "\",\"m\":" + std::to_string(m_)
                             + ",\"n\":" + std::to_string(n_) + ",\"k\":" + std::to_string(k_)
                             + ",\"cublasLt\":" + std::to_string(lt_.version()) + ",\"verified\":true,";
        report_times("cuBLASLt", "TFLOP/s", operations, 1e12, first_one.milliseconds,
                     common + "\"parameters\":\"the algorithm that it names first\",");
        report_times("cuBLASLt, fastest", "TFLOP/s", operations, 1e12, fastest_one.milliseconds,
                     common + "\"parameters\":\"number " + std::to_string(best_ + 1) + " of "
                             + std::to_string(algorithms_.size()) + " algorithms, the fastest\",");
    }

    const CublasLt::Algorithm& first() const { return algorithms_[0].algorithm; }

private:
    // Timed for as long as it was warmed up for: a single start is as fast as the control of power lets it just then.
    Timed sustained(const CublasLt::Algorithm& algorithm, int turns) {
        std::vector<Timed> one;
        one.push_back({[&](CUstream stream, size_t) { start(stream, algorithm); }, {}});
        take_turns(stream_, one, turns, 0, 100, 100);
        return one[0];
    }

    void search() {
        std::vector<Timed> all;
        for (const auto& one : algorithms_) {
            all.push_back({[this, &one](CUstream stream, size_t) { start(stream, one.algorithm); }, {}});
        }
        take_turns(stream_, all, 3, 0, 50, 50);
        for (size_t i = 1; i < all.size(); i++) {
            best_ = median(all[i]) < median(all[best_]) ? i : best_;
        }
        searched_ = true;
    }

    static double median(const Timed& timed) {
        std::vector<double> sorted = timed.milliseconds;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }

    void ask() {
        LtObject preference(lt_, "MatmulPreference");
        preference.set(CublasLt::MOST_WORKSPACE, WORKSPACE);
        CublasLt::Heuristic found[MOST_ALGORITHMS];
        int count = 0;
        CublasLt::check(
                lt_.function<int (*)(void*, void*, void*, void*, void*, void*, void*, int, CublasLt::Heuristic*, int*)>(
                        "cublasLtMatmulAlgoGetHeuristic")(lt_.handle(), description_, b_layout_, a_layout_, c_layout_,
                                                          c_layout_, preference, MOST_ALGORITHMS, found, &count),
                "cublasLtMatmulAlgoGetHeuristic");
        for (int i = 0; i < count; i++) {
            if (found[i].state == 0) {
                algorithms_.push_back(found[i]);
            }
        }
        if (algorithms_.empty()) {
            throw Refusal(std::string("cuBLASLt has no algorithm for this product of ") + type_.name);
        }
    }

    void make(int most) {
        auto one = [&](CUdeviceptr to, unsigned long long n, unsigned seed) {
            void* arguments[] = {&to, &n, &seed, &most};
            unsigned blocks = gpu_.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) * 8;
            CU(cuLaunchKernel(modules_.kernel("products", std::string("make_") + type_.operands), blocks, 1, 1, 256, 1,
                              1, 0, stream_, arguments, nullptr));
        };
        one(a_, static_cast<unsigned long long>(m_) * k_, seed_);
        one(b_, static_cast<unsigned long long>(n_) * k_, seed_ + 1);
    }

    void start(CUstream stream, const CublasLt::Algorithm& algorithm) {
        static const auto matmul = lt_.function<int (*)(
                void*, void*, const void*, CUdeviceptr, void*, CUdeviceptr, void*, const void*, CUdeviceptr, void*,
                CUdeviceptr, void*, const CublasLt::Algorithm*, CUdeviceptr, size_t, CUstream)>("cublasLtMatmul");
        const float one = 1;
        const float zero = 0;
        CublasLt::check(matmul(lt_.handle(), description_, &one, b_, b_layout_, a_, a_layout_, &zero, c_, c_layout_, c_,
                               c_layout_, &algorithm, workspace_, WORKSPACE, stream),
                        "cublasLtMatmul");
    }

    const Gpu& gpu_;
    Modules& modules_;
    const CublasLt& lt_;
    const Type& type_;
    bool by_columns_;
    unsigned m_;
    unsigned n_;
    unsigned k_;
    unsigned seed_;
    DeviceMemory a_;
    DeviceMemory b_;
    DeviceMemory c_;
    DeviceMemory workspace_;
    DeviceMemory result_;
    Stream stream_;
    LtObject description_;
    LtObject b_layout_;
    LtObject a_layout_;
    LtObject c_layout_;
    std::vector<CublasLt::Heuristic> algorithms_;
    size_t best_ = 0;
    bool searched_ = false;
};

// The last one, with its memory and the fastest of its algorithms: for the next command about the same.
struct KeptProduct {
    std::string what;
    std::unique_ptr<Product> product;
};

KeptProduct& kept() {
    static KeptProduct one;
    return one;
}

} // namespace

void forget_product() {
    kept() = {};
}

void product(const Gpu& gpu, Modules& modules, Words& words) {
    std::string name = words.next("type");
    const Type& wanted = type(name);
    std::string order = words.next("order of B: columns or rows");
    unsigned m = words.next<unsigned>("m");
    unsigned n = words.next<unsigned>("n");
    unsigned k = words.next<unsigned>("k");
    unsigned seed = words.next<unsigned>("seed");
    int turns = words.next<int>("number of turns");
    if ((order != "columns" && order != "rows") || turns < 1) {
        throw Refusal("B lies by columns or rows, and there is at least one turn");
    }
    if (static_cast<size_t>(k) * wanted.most * wanted.most > 1u << 24) {
        throw Refusal("sums of " + std::to_string(k) + " products cannot be checked exactly");
    }
    std::string what = name + " " + order;
    for (unsigned number : {m, n, k, seed}) {
        what += " " + std::to_string(number);
    }
    if (kept().what != what) {
        forget_product();
        auto made = std::make_unique<Product>(gpu, modules, wanted, order == "columns", m, n, k, seed);
        made->check(made->first(), "first");
        kept() = {what, std::move(made)};
    }
    kept().product->measure(turns);
}

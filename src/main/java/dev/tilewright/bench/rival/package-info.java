/**
 * What others take for the same work, measured beside ours: CUDA C++ ({@code native-tests/rivals}, built by nvcc where
 * it is), PyTorch and Triton. Each runs in a process of its own that answers lines of JSON; one that is absent, crashes
 * or hangs is a row that says so. cuBLAS is called in this process: {@link dev.tilewright.bench.rival.CuBlasLt}.
 */
package dev.tilewright.bench.rival;

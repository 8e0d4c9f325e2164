/**
 * What others take for the same work, measured beside ours: CUDA C++ ({@code native-tests/rivals}, built by nvcc
 * where it is), cuBLAS, PyTorch and Triton. Each runs in a process of its own that answers lines of JSON; one that is
 * absent, crashes or hangs is a row that says so.
 */
package dev.tilewright.bench.rival;

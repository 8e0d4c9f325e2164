package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Machine;
import java.util.ArrayList;
import java.util.List;

/**
 * How much arithmetic a GPU does at most, at the clock that it was found at: the flat parts of a roofline. Known for
 * the architectures whose rates are known: results per cycle and multiprocessor of f32 multiply-adds are from the CUDA
 * C++ Programming Guide's table of arithmetic throughput, dense bf16 products from the data sheets of A100 (312 TFLOP/s
 * on 108 multiprocessors at 1,410 MHz) and H100 (989 TFLOP/s on 132 at 1,830 MHz). A multiply-add is two operations.
 */
final class ArithmeticPeaks {

    private record Rates(int f32, int bf16) { }

    private ArithmeticPeaks() { }

    /** In operations a second; empty where the GPU or its clock is not known. */
    static List<Level> of(Machine machine) {
        Rates rates = switch (machine.target().replaceAll("[af]$", "")) {
            case "sm_80" -> new Rates(64, 1024);
            case "sm_86", "sm_89" -> new Rates(128, 0);
            case "sm_90" -> new Rates(128, 2048);
            default -> new Rates(0, 0);
        };
        List<Level> peaks = new ArrayList<>();
        double cycles = 1e6 * megahertz(machine) * machine.multiprocessors();
        if (cycles > 0 && rates.bf16() > 0) {
            peaks.add(new Level("bf16 tensor cores", 2 * rates.bf16() * cycles));
        }
        if (cycles > 0 && rates.f32() > 0) {
            peaks.add(new Level("f32", 2 * rates.f32() * cycles));
        }
        return peaks;
    }

    /** The higher clock of the beginning and the end; 0 if neither is known. */
    static int megahertz(Machine machine) {
        return Math.max(machine.before().multiprocessorMegahertz(), machine.after().multiprocessorMegahertz());
    }
}

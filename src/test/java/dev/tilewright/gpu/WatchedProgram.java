package dev.tilewright.gpu;

import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.program.ComputingKernels;

/** A program that does a little on an emulated GPU and says whether anybody could have watched. */
final class WatchedProgram {

    private WatchedProgram() { }

    public static void main(String[] args) {
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.stream(); Kernel kernel = gpu.load(ComputingKernels.axpy());
                Buffer<float[]> x = gpu.upload(new float[128])) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", x).set("a", 1.0).on(stream);
            launch.start();
            try (Graph graph = stream.capture(_ -> launch.start()); Nvtx.Range _ = Nvtx.range("a range")) {
                graph.start();
            }
            stream.completion().join();
            System.out.println("jdk.jfr " + ModuleLayer.boot().findModule("jdk.jfr").isPresent() + ", watched "
                    + Trace.launches() + ", result " + x.download()[0]);
        }
    }
}

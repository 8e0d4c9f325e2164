package dev.tilewright.gputest;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;

/**
 * A program of its own that runs a kernel which waits for bytes that never come, and prints what the driver makes of
 * it.
 */
final class FaultyKernel {

    private FaultyKernel() {
    }

    static TileProgram program() {
        SharedRegion.Barriers barrier = new SharedRegion.Barriers("never", 1);
        return new TileProgram("waits_for_ever", "expects bytes that nothing sends", 1, List.of(),
                new SharedLayout(List.of(barrier)), Body.steps(body -> {
                    body.purpose("one arrival").barrierInit(barrier.at(0), 1);
                    body.purpose("let the copy engine see it").barrierInitFence();
                    body.purpose("expect 16 bytes").arriveExpectTx(barrier.at(0), 16);
                    body.purpose("they never come").waitParity(barrier.at(0), 0);
                }));
    }

    public static void main(String[] args) {
        TileProgram hang = program();
        try (Gpu gpu = Gpu.options().emit(new EmitOptions(1000)).open(); Stream stream = gpu.stream()) {
            gpu.load(hang).prepare(new Launch(hang, 1, List.of())).on(stream).start();
            try {
                stream.synchronize();
                System.out.println("first: nothing happened");
            } catch (CudaException e) {
                System.out.println("first: " + e.getMessage());
                System.out.println("lost: " + e.contextIsLost());
            }
            try {
                gpu.bytes(16);
                System.out.println("second: nothing happened");
            } catch (CudaException e) {
                System.out.println("second: " + e.getMessage());
            }
        }
    }
}

package dev.tilewright.gputest;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.CudaException;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Launch;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import java.util.List;

/** A program of its own that runs a kernel which waits for bytes that never come, and prints what the driver makes of it. */
final class FaultyKernel {

    private FaultyKernel() {
    }

    static TileProgram program() {
        SharedRegion.Barriers barrier = new SharedRegion.Barriers("never", 1);
        return new TileProgram("waits_for_ever", "expects bytes that nothing sends", 1, List.of(),
                new SharedLayout(List.of(barrier)), Body.steps(body -> {
                    body.purpose("one arrival").barrierInit(barrier.at(Expr.of(0)), 1);
                    body.purpose("let the copy engine see it").barrierInitFence();
                    body.purpose("expect 16 bytes").arriveExpectTx(barrier.at(Expr.of(0)), Expr.of(16));
                    body.purpose("they never come").waitParity(barrier.at(Expr.of(0)), Expr.of(0));
                }));
    }

    public static void main(String[] args) {
        TileProgram hang = program();
        try (CudaDriver driver = Drivers.gpu(Devices.probe(), new EmitOptions(1000), (what, done, total) -> { }, System.err::println)) {
            LoadedKernel kernel = driver.load(hang);
            driver.launch(kernel, new Launch(hang, 1, List.of()), List.of());
            try {
                driver.synchronize();
                System.out.println("first: nothing happened");
            } catch (CudaException e) {
                System.out.println("first: " + e.getMessage());
                System.out.println("lost: " + e.contextIsLost());
            }
            try {
                driver.allocate(16);
                System.out.println("second: nothing happened");
            } catch (CudaException e) {
                System.out.println("second: " + e.getMessage());
            }
        }
    }
}

package dev.tilewright.gputest;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import java.util.List;

/**
 * Overwrites the shared memory of all multiprocessors: the tiles that an earlier launch left there are those that the next
 * one loads, and a kernel that does not wait for its own would read the right bytes.
 */
final class SharedPoison implements AutoCloseable {
    private static final int THREADS = 256;

    private final Driver driver;
    private final LoadedKernel kernel;
    private final DeviceBuffer poison;
    private final Launch launch;

    SharedPoison(Driver driver) {
        this.driver = driver;
        int bytes = driver.sharedMemoryPerBlock() / (16 * THREADS) * (16 * THREADS);
        Parameter.Pointer from = new Parameter.Pointer("poison", false);
        SharedRegion.Buffer all = new SharedRegion.Buffer("all", bytes, 16);
        TileProgram program = new TileProgram("shared_poison", "overwrites shared memory", THREADS, List.of(from),
                new SharedLayout(List.of(all)), Body.steps(body -> {
                    Fragment data = body.purpose("16 bytes of poison").load("data", ElementType.U32, 4,
                            new Address.Global(from, Builtin.THREAD.times(16).toS64()));
                    body.purpose("everywhere")
                            .loop("at", Builtin.THREAD.times(16), Expr.of(bytes), Expr.of(16 * THREADS),
                            (each, at) -> each.purpose("write it").store(all.at(at), data));
                }));
        kernel = driver.load(program);
        poison = driver.allocate(16 * THREADS);
        driver.fill(poison, (byte) 0xD7);
        launch = new Launch(program, 4 * kernel.residentBlocks(), List.of(new Argument.Buffer(0)));
    }

    void spread() {
        driver.launch(kernel, launch, List.of(poison));
    }

    @Override
    public void close() {
        poison.close();
        kernel.close();
    }
}

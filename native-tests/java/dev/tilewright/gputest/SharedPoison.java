package dev.tilewright.gputest;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;

/**
 * Overwrites the shared memory of all multiprocessors: an earlier launch left there the tiles that the
 * next one loads, and a kernel that does not wait for its own would read the right bytes.
 */
final class SharedPoison implements AutoCloseable {
    private static final int THREADS = 256;

    private final Kernel kernel;
    private final Buffer<byte[]> poison;
    private final KernelLaunch launch;

    SharedPoison(Gpu gpu) {
        int bytes = gpu.info().sharedMemoryPerBlock() / (16 * THREADS) * (16 * THREADS);
        Parameter.Pointer from = new Parameter.Pointer("poison", false);
        SharedRegion.Buffer all = new SharedRegion.Buffer("all", bytes, 16);
        TileProgram program = new TileProgram("shared_poison", "overwrites shared memory", THREADS, List.of(from),
                new SharedLayout(List.of(all)), Body.steps(body -> {
                    Fragment data = body.purpose("16 bytes of poison").load("data", ElementType.U32, 4,
                            new Address.Global(from, Builtin.THREAD.times(16).toS64()));
                    body.purpose("everywhere")
                            .loop("at", Builtin.THREAD.times(16), bytes, 16 * THREADS,
                            (each, at) -> each.purpose("write it").store(all.at(at), data));
                }));
        kernel = gpu.load(program);
        poison = gpu.bytes(16 * THREADS);
        poison.fill((byte) 0xD7);
        launch = kernel.prepare().grid(4 * kernel.residentBlocks()).set("poison", poison);
    }

    void spread() {
        launch.start();
    }

    @Override
    public void close() {
        poison.close();
        kernel.close();
    }
}

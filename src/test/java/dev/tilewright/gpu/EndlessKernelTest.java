package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.reference.ReferenceOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A kernel that never ends does not hang an emulated GPU for ever: its limits end it, and so does an interrupt. */
class EndlessKernelTest {
    private static final Parameter.Pointer FLAG = new Parameter.Pointer("flag", false);
    private static final TileProgram ENDLESS = new TileProgram("endless", "waits for what nobody sets", 32,
            List.of(FLAG), new SharedLayout(List.of()), Body.steps(body -> {
                Register seen = body.variable("seen", 0);
                body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> turn.assign(seen, turn.purpose("look")
                        .issue("now", Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32),
                                Input.of(new Address.Global(FLAG, 0)))));
            }));

    private static void start(Gpu gpu) {
        Buffer<int[]> flag = gpu.upload(new int[1]);
        gpu.load(ENDLESS).prepare().grid(2).set("flag", flag).start();
    }

    /** Pauses now and then, so that others have the processors meanwhile. @param running counted down when it runs */
    private static ReferenceOptions slowly(CountDownLatch running) {
        return ReferenceOptions.DEFAULT.withProgress(_ -> {
            running.countDown();
            LockSupport.parkNanos(10_000_000);
        });
    }

    private static void isLost(Runnable call) {
        assertEquals("CUDA_ERROR_LAUNCH_TIMEOUT", assertThrows(CudaException.class, call::run).error().name());
    }

    @Test
    void itsLimitsEndIt() {
        ReferenceOptions any = ReferenceOptions.DEFAULT;
        for (ReferenceOptions options : List.of(any.withMostSteps(1 << 20), any.withMostTime(Duration.ofMillis(100)))) {
            assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
                Gpu gpu = Gpu.emulated(options);
                start(gpu);
                isLost(gpu::synchronize);
            });
        }
    }

    @Test
    void whatEndsItIsSaid() {
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, ReferenceOptions.DEFAULT.withMostSteps(1 << 20),
                List.of(DeviceModel.hopper(1 << 20)));
        Gpu gpu = Gpu.options().choose(cuda, cuda).open();
        start(gpu);
        isLost(gpu::synchronize);
        String fault = cuda.fault(0).orElseThrow();
        assertTrue(fault.matches("kernel 'endless': the run was stopped after \\d+ steps of its threads: at most "
                + "1048576 steps are allowed; in block.* thread.* in step \\d \\('.*'.*\\); if it does end, allow "
                + "more with Gpu.emulated\\(ReferenceOptions\\), by ReferenceOptions.withMostSteps"), fault);
    }

    /** Others than {@code synchronize} come to the kernel, too. */
    @Test
    void anInterruptEndsIt() throws InterruptedException {
        for (Consumer<Gpu> call : List.<Consumer<Gpu>>of(Gpu::synchronize, Gpu::close)) {
            AtomicReference<Throwable> ended = new AtomicReference<>();
            AtomicReference<Boolean> still = new AtomicReference<>();
            CountDownLatch running = new CountDownLatch(1);
            Thread thread = Thread.ofPlatform().daemon().start(() -> {
                Gpu gpu = Gpu.emulated(slowly(running));
                start(gpu);
                try {
                    call.accept(gpu);
                } catch (RuntimeException e) {
                    ended.set(e);
                }
                still.set(Thread.currentThread().isInterrupted());
            });
            assertTrue(running.await(2, TimeUnit.MINUTES), "it does not begin");
            thread.interrupt();
            assertTrue(thread.join(Duration.ofMinutes(2)), "it is still waiting");
            assertEquals(true, still.get());
            if (ended.get() != null) {
                assertInstanceOf(CudaException.class, ended.get());
            }
        }
    }

    /** Whoever waits for another thread's kernel gets away, and the kernel goes on. */
    @Test
    void anInterruptEndsAWaitForAnothersKernel() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Gpu gpu = Gpu.emulated(slowly(running));
        Thread runs = Thread.ofPlatform().daemon().start(() -> {
            start(gpu);
            assertThrows(CudaException.class, gpu::synchronize);
        });
        running.await();
        for (Consumer<Gpu> call : List.<Consumer<Gpu>>of(Gpu::synchronize, g -> g.upload(new int[1]), Gpu::stream)) {
            AtomicReference<Throwable> ended = new AtomicReference<>();
            Thread waits = Thread.ofPlatform().daemon().start(() -> {
                try {
                    call.accept(gpu);
                } catch (RuntimeException e) {
                    ended.set(Thread.currentThread().isInterrupted() ? e : new AssertionError("it is forgotten", e));
                }
            });
            Thread.sleep(200);
            waits.interrupt();
            assertTrue(waits.join(Duration.ofMinutes(2)), "it is still waiting");
            assertEquals("CUDA_ERROR_TIMEOUT", assertInstanceOf(CudaException.class, ended.get()).error().name());
        }
        assertTrue(runs.isAlive());
        runs.interrupt();
        assertTrue(runs.join(Duration.ofMinutes(2)), "it is still running");
        isLost(gpu::synchronize);
    }
}

package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.module.LoadedModules;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stays loaded of the kernels that are closed. */
class LoadedModulesTest {
    private final EmulatedCuda cuda = new EmulatedCuda();
    private final AtomicInteger loaded = new AtomicInteger();
    private final AtomicInteger unloaded = new AtomicInteger();
    private final Gpu gpu = Gpu.options().choose(counting(), cuda).open();

    private DriverApi counting() {
        return (DriverApi) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {DriverApi.class},
                (_, method, arguments) -> {
                    switch (method.getName()) {
                        case "cuModuleLoadData" -> loaded.incrementAndGet();
                        case "cuModuleUnload" -> unloaded.incrementAndGet();
                        default -> { }
                    }
                    try {
                        return method.invoke(cuda, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A GPU that many kernels come and go through does not grow, nor once it is closed. */
    @Test
    void programsThatNobodyUsesAnyMoreAreGone() throws InterruptedException {
        List<WeakReference<TileProgram>> programs = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ElementwiseKernel one = kernel(i);
            programs.add(new WeakReference<>(one.program()));
            gpu.load(one).close();
        }
        awaitGone(programs.subList(0, 60));
        gpu.close();
        awaitGone(programs);
    }

    private static void awaitGone(List<WeakReference<TileProgram>> programs) throws InterruptedException {
        for (int tries = 0; tries < 100 && programs.stream().anyMatch(program -> program.get() != null); tries++) {
            System.gc();
            Thread.sleep(10);
        }
        assertEquals(0, programs.stream().filter(program -> program.get() != null).count());
    }

    /** One that adds a number. */
    private static ElementwiseKernel kernel(int number) {
        return VectorCopy.of(ElementType.F32).step(x -> x.plus(number)).build();
    }

    @AfterEach
    void allIsGivenBack() {
        gpu.close();
        assertEquals(List.of(), cuda.leaks());
        assertEquals(loaded.get(), unloaded.get());
    }

    @Test
    void aKernelThatIsOpenedAgainIsLoadedOnce() {
        for (int i = 0; i < 5; i++) {
            try (Kernel kernel = gpu.load(kernel(1)); Buffer<float[]> x = gpu.upload(new float[] {1});
                    Buffer<float[]> y = gpu.floats(1)) {
                kernel.prepare(List.of(1L), x, y).start();
                assertEquals(2, y.download()[0]);
            }
        }
        assertEquals(1, loaded.get());
        assertEquals(0, unloaded.get());
    }

    @Test
    void ofManyTheLastStayLoaded() {
        Kernel used = gpu.load(kernel(0));
        for (int i = 1; i <= LoadedModules.MOST_UNUSED + 3; i++) {
            gpu.load(kernel(i)).close();
        }
        assertEquals(3, unloaded.get());
        int before = loaded.get();
        gpu.load(kernel(4)).close();
        // Now the one that was used last.
        gpu.load(kernel(100)).close();
        gpu.load(kernel(4)).close();
        gpu.load(kernel(0)).close();
        assertEquals(before + 1, loaded.get());
        gpu.load(kernel(1)).close();
        assertEquals(before + 2, loaded.get());
        used.close();
        gpu.load(kernel(0)).close();
        assertEquals(before + 2, loaded.get());
    }

    @Test
    void whatSomebodyHasSetIsForgottenWithTheKernel() {
        try (Kernel kernel = gpu.load(kernel(1)); Kernel again = gpu.load(kernel(1))) {
            kernel.preferSharedMemory(50);
            assertEquals(kernel.function(), again.function());
        }
        assertEquals(1, unloaded.get());
        gpu.load(kernel(1)).close();
        assertEquals(2, loaded.get());
    }

    @Test
    void threadsOpenAndCloseThemAsTheyLike() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch wrong = new CountDownLatch(1);
        for (int t = 0; t < 4; t++) {
            int seed = t;
            threads.add(Thread.startVirtualThread(() -> {
                try {
                    for (int i = 0; i < 60; i++) {
                        Kernel kernel = gpu.load(kernel((seed * 7 + i * 5) % 21));
                        kernel.prepare();
                        kernel.close();
                    }
                } catch (RuntimeException | Error e) {
                    wrong.countDown();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, wrong.getCount());
        assertTrue(loaded.get() - unloaded.get() <= LoadedModules.MOST_UNUSED, loaded + " and " + unloaded);
    }
}

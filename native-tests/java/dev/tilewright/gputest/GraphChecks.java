package dev.tilewright.gputest;

import com.sun.management.ThreadMXBean;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Nvtx;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;

/**
 * Captures, graphs and futures on a GPU, in a process of its own: a capture of an ordinary stream makes every other use
 * of CUDA's default stream wait or fail, and a fault ends the process's use of the GPU. Prints a line for each check.
 */
final class GraphChecks {
    private static final int ROWS = 96;
    private static final int COLUMNS = 64;
    private static final int COUNT = ROWS * COLUMNS;
    private static final CudaFunction SCALE = CudaFunction.of("scale_by", """
            extern "C" __global__ void scale_by(float *x, float a, int n) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) x[i] *= a;
            }
            """, 256, List.of(new Parameter.Pointer("x", true), new Parameter.Scalar("a", ElementType.F32),
            new Parameter.Int("n", IntType.S32)));
    private static final CudaFunction WILD = CudaFunction.of("writes_wildly", """
            extern "C" __global__ void writes_wildly(int *x) {
                *(volatile int *) 64 = *x;
            }
            """, 32, List.of(new Parameter.Pointer("x", true)));

    private interface Check {
        void run(Gpu gpu) throws Exception;
    }

    private GraphChecks() { }

    public static void main(String[] args) {
        Map<String, Check> checks = new LinkedHashMap<>();
        if (args.length > 0 && args[0].equals("fault")) {
            checks.put("a fault fails the futures", GraphChecks::aFaultFailsTheFutures);
        } else {
            checks.put("a thousand replays equal the reference", GraphChecks::aThousandReplays);
            checks.put("what cannot be captured is refused", GraphChecks::whatCannotBeCapturedIsRefused);
            checks.put("a spoilt capture leaves the stream usable", GraphChecks::aSpoiltCapture);
            checks.put("streams joined by events", GraphChecks::joinedStreams);
            checks.put("launches of other code", GraphChecks::launchesOfOtherCode);
            checks.put("launches that begin early", GraphChecks::launchesThatBeginEarly);
            checks.put("clusters", GraphChecks::clusters);
            checks.put("other threads during a capture", GraphChecks::otherThreads);
            checks.put("captures by virtual threads", GraphChecks::virtualThreads);
            checks.put("futures", GraphChecks::futures);
            checks.put("replays allocate nothing", GraphChecks::replaysAllocateNothing);
            checks.put("ranges", GraphChecks::ranges);
        }
        boolean failed = false;
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            try (Gpu gpu = Gpu.open()) {
                check.getValue().run(gpu);
                System.out.println("ok: " + check.getKey());
            } catch (Throwable t) {
                failed = true;
                System.out.println("FAILED: " + check.getKey());
                t.printStackTrace(System.out);
            }
        }
        System.exit(failed ? 1 : 0);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static String refusal(Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
        throw new AssertionError("nothing was refused");
    }

    private static float[] numbers(int from) {
        float[] numbers = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = (from + i) * 0.37f;
        }
        return numbers;
    }

    /** Rounds of a graph of upload, two kernels with tensor maps, download; what came down in each. */
    private static List<float[]> replays(Gpu gpu, int rounds) {
        TensorCopy scale = TensorCopy.of(ElementType.F32).tile(32, 32).step(ElementStep.SCALE).build();
        List<Long> shape = List.of((long) ROWS, (long) COLUMNS);
        List<float[]> results = new ArrayList<>();
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(scale);
                PinnedMemory in = gpu.pinned(4 * COUNT); PinnedMemory out = gpu.pinned(4 * COUNT);
                Buffer<float[]> a = gpu.floats(COUNT); Buffer<float[]> b = gpu.floats(COUNT);
                Buffer<float[]> c = gpu.floats(COUNT); Buffer<float[]> d = gpu.floats(COUNT)) {
            KernelLaunch first = kernel.prepare(scale.launch(shape, Scalars.of("scalar", 1)), a, b).on(stream);
            KernelLaunch second = kernel.prepare(scale.launch(shape, Scalars.of("scalar", 1)), b, c).on(stream);
            try (Graph graph = stream.capture(s -> {
                s.upload(in.segment(), a);
                first.start();
                second.start();
                s.download(c, out.segment());
            })) {
                require(graph.nodes() == 4, graph.toString());
                for (int round = 0; round < rounds; round++) {
                    MemorySegment.copy(numbers(round), 0, in.segment(), ValueLayout.JAVA_FLOAT, 0, COUNT);
                    Buffer<float[]> between = round % 2 == 0 ? b : d;
                    first.fill(scale.launch(shape, Scalars.of("scalar", 0.1 * round)), a, between);
                    second.fill(scale.launch(shape, Scalars.of("scalar", 1.7 - round)), between, c);
                    graph.update(first).update(second).start();
                    stream.synchronize();
                    results.add(out.segment().toArray(ValueLayout.JAVA_FLOAT));
                }
            }
        }
        return results;
    }

    private static void aThousandReplays(Gpu gpu) {
        List<float[]> results = replays(gpu, 1000);
        try (Gpu reference = Gpu.emulated()) {
            List<float[]> expected = replays(reference, 20);
            for (int i = 0; i < expected.size(); i++) {
                require(Arrays.equals(expected.get(i), results.get(i)), "round " + i + " is not the reference's");
            }
        }
        for (int round = 0; round < results.size(); round++) {
            float[] expected = numbers(round);
            for (int i = 0; i < COUNT; i++) {
                float value = expected[i] * (float) (0.1 * round) * (float) (1.7 - round);
                require(value == results.get(round)[i], "round " + round + ", element " + i);
            }
        }
    }

    private static void whatCannotBeCapturedIsRefused(Gpu gpu) {
        try (Stream stream = gpu.stream(); Buffer<float[]> buffer = gpu.upload(new float[COUNT]); Graph graph =
                stream.capture(s -> {
                    String pageable = refusal(() -> s.upload(MemorySegment.ofArray(new float[4]), buffer));
                    require(pageable.contains("page-locked"), pageable);
                    refusal(s::synchronize);
                    refusal(s::isIdle);
                    refusal(s::completion);
                    refusal(() -> s.allocate(buffer.type(), 4));
                    refusal(() -> buffer.upload(new float[4]));
                    refusal(gpu::synchronize);
                    s.fill(buffer, (byte) 1);
                })) {
            graph.start();
            stream.synchronize();
            require(buffer.download()[COUNT - 1] == Float.intBitsToFloat(0x01010101), "the graph's fill");
        }
    }

    private static void aSpoiltCapture(Gpu gpu) {
        DriverApi api = LibCuda.get();
        try (Stream stream = gpu.stream(); Buffer<float[]> buffer = gpu.floats(COUNT)) {
            try {
                stream.capture(s -> {
                    s.fill(buffer, (byte) 1);
                    System.out.println("cuStreamSynchronize in a capture: " + api.cuStreamSynchronize(s.handle()));
                }).close();
                throw new AssertionError("the capture was not spoilt");
            } catch (CudaException e) {
                System.out.println(e.getMessage());
            }
            try {
                stream.capture(s -> {
                    s.fill(buffer, (byte) 1);
                    throw new IllegalArgumentException("on purpose");
                });
                throw new AssertionError("nothing was thrown");
            } catch (IllegalArgumentException e) {
                require(e.getMessage().equals("on purpose") && e.getSuppressed().length == 0, e.toString());
            }
            try (Stream side = gpu.stream(); Event event = gpu.event()) {
                String why = refusal(() -> stream.capture(s -> {
                    s.fill(buffer, (byte) 1);
                    s.record(event);
                    side.waitFor(event);
                    side.fill(buffer, (byte) 2);
                }));
                require(why.contains("has not come back"), why);
                side.fill(buffer, (byte) 3);
                side.synchronize();
            }
            stream.fill(buffer, (byte) 0);
            stream.synchronize();
            require(buffer.download()[0] == 0, "the stream's fill");
        }
        try (Stream apart = gpu.nonBlockingStream()) {
            try {
                apart.capture(_ -> System.out.println("cuCtxSynchronize while a non-blocking stream is captured: "
                        + api.cuCtxSynchronize() + ", cuStreamSynchronize of the default one: "
                        + api.cuStreamSynchronize(0))).close();
                System.out.println("the capture was not spoilt by that");
            } catch (CudaException e) {
                System.out.println("spoilt by that: " + e.getMessage());
            }
            apart.synchronize();
        }
    }

    private static void joinedStreams(Gpu gpu) {
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(SCALE);
                Buffer<float[]> x = gpu.upload(numbers(0)); Buffer<float[]> y = gpu.upload(numbers(5));
                Graph graph = stream.capture(s -> {
                    try (Stream side = gpu.stream(); Event begun = s.record()) {
                        side.waitFor(begun);
                        scale(kernel, x, 2).on(s).start();
                        scale(kernel, y, 3).on(side).start();
                        try (Event done = side.record()) {
                            s.waitFor(done);
                        }
                    }
                    s.copy(y, x);
                })) {
            require(graph.nodes() == 3, graph.toString());
            for (int i = 0; i < 3; i++) {
                graph.start();
            }
            stream.synchronize();
            require(x.download()[7] == numbers(5)[7] * 3 * 3 * 3, "the joined streams' result");
        }
    }

    private static KernelLaunch scale(Kernel kernel, Buffer<float[]> x, double by) {
        return kernel.prepare().grid(COUNT / 256).set("x", x).set("a", by).set("n", COUNT);
    }

    private static void launchesOfOtherCode(Gpu gpu) {
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(SCALE);
                Buffer<float[]> x = gpu.upload(numbers(1)); Graph graph = stream.capture(s -> {
                    Pointer parameters = Pointer.to(Pointer.to(JCudaInterop.pointer(x)), Pointer.to(new float[] {4}),
                            Pointer.to(new int[] {COUNT}));
                    int result = gpu.inContext(() -> JCudaDriver.cuLaunchKernel(JCudaInterop.function(kernel),
                            COUNT / 256, 1, 1, 256, 1, 1, 0, JCudaInterop.stream(s), parameters, null));
                    require(result == 0, "cuLaunchKernel: " + result);
                    scale(kernel, x, 0.5).on(s).start();
                })) {
            require(graph.nodes() == 2, graph.toString());
            require(x.download()[9] == numbers(1)[9], "nothing has run yet");
            graph.start();
            stream.synchronize();
            require(x.download()[9] == numbers(1)[9] * 4 * 0.5f, "both kernels have run");
        }
    }

    /** Each adds 1 to every word, and may begin before the one in front of it has ended. */
    private static void launchesThatBeginEarly(Gpu gpu) {
        int count = 128 * 40;
        int kernels = 8;
        int replays = 50;
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(WarpKernels.dependent(true));
                Buffer<int[]> words = gpu.upload(new int[count]); Buffer<int[]> others = gpu.upload(new int[count])) {
            KernelLaunch launch = kernel.prepare().grid(count / 128).on(stream);
            String name = kernel.parameters().getLast().name();
            launch.set(kernel.parameters().getFirst().name(), words).set(name, words);
            try (Graph graph = stream.capture(_ -> {
                for (int i = 0; i < kernels; i++) {
                    launch.start();
                }
            })) {
                require(graph.nodes() == kernels, graph.toString());
                for (int i = 0; i < replays; i++) {
                    graph.start();
                }
                graph.update(launch.set(name, others)).start();
                stream.synchronize();
            }
            require(Arrays.stream(words.download()).allMatch(word -> word == kernels * replays)
                    && Arrays.stream(others.download()).allMatch(word -> word == kernels), "the words");
        }
    }

    private static void clusters(Gpu gpu) {
        TileProgram program = GridKernels.neighbours(ClusterSize.AT_LAUNCH, true);
        Dim3 grid = Dim3.of(4, 4);
        Dim3 cluster = Dim3.of(2, 2);
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(program); Buffer<int[]> out = gpu.ints(16);
                Buffer<int[]> other = gpu.ints(16)) {
            String name = kernel.parameters().getFirst().name();
            KernelLaunch launch = kernel.prepare().cluster(cluster).grid(grid).set(name, out).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                graph.start();
                graph.update(launch.set(name, other)).start();
                stream.synchronize();
                int[] expected = GridKernels.expectedNumbers(grid, cluster);
                require(Arrays.equals(expected, out.download()) && Arrays.equals(expected, other.download()),
                        "the blocks' numbers");
                try {
                    graph.update(launch.cluster(Dim3.ONE).grid(grid));
                    throw new AssertionError("clusters cannot be updated");
                } catch (IllegalArgumentException e) {
                    require(e.getMessage().contains("it was captured in clusters of 2 x 2 blocks"), e.getMessage());
                }
            }
        }
    }

    private static void otherThreads(Gpu gpu) throws Exception {
        try (Buffer<float[]> buffer = gpu.floats(COUNT); Kernel kernel = gpu.load(SCALE);
                Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(1 << 16, 4096);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> busy = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                busy.add(Thread.ofPlatform().start(() -> {
                    try (Stream own = gpu.stream(); Buffer<float[]> mine = gpu.floats(COUNT)) {
                        for (int i = 0; i < 200; i++) {
                            mine.upload(numbers(number));
                            try (Buffer<float[]> ordered = own.allocate(mine.type(), COUNT);
                                    PinnedMemory pinned = gpu.pinned(4096)) {
                                own.copy(mine, ordered);
                                scale(kernel, mine, 2).on(own).start();
                                scale(kernel, mine, 2).start();
                                own.download(mine, pinned.segment());
                                own.synchronize();
                            }
                            if (number == 0) {
                                gpu.synchronize();
                                gpu.register(host).close();
                            }
                            require(mine.download()[3] == numbers(number)[3] * 4, "a copy beside a capture");
                        }
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
            int captures = 0;
            try (Stream stream = gpu.stream()) {
                while (busy.stream().anyMatch(Thread::isAlive)) {
                    try (Graph graph = stream.capture(s -> {
                        for (int i = 0; i < 10; i++) {
                            s.fill(buffer, (byte) i);
                        }
                        scale(kernel, buffer, 1).on(s).start();
                    })) {
                        graph.start();
                        captures++;
                    }
                }
                stream.synchronize();
            }
            System.out.println(captures + " captures beside 4 threads");
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
        }
    }

    private static void virtualThreads(Gpu gpu) throws Exception {
        try (Buffer<float[]> buffer = gpu.floats(COUNT)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int t = 0; t < 32; t++) {
                CompletableFuture<Void> done = new CompletableFuture<>();
                all.add(done);
                Thread.startVirtualThread(() -> {
                    try (Stream stream = gpu.nonBlockingStream(); Graph graph = stream.capture(s -> {
                        s.fill(buffer, (byte) 1);
                        try {
                            Thread.sleep(5);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        s.fill(buffer, (byte) 2);
                    })) {
                        graph.start();
                        stream.completion().join();
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                });
            }
            for (CompletableFuture<Void> one : all) {
                one.get(30, TimeUnit.SECONDS);
            }
            require(buffer.download()[0] == Float.intBitsToFloat(0x02020202), "the last fill");
        }
    }

    private static void futures(Gpu gpu) throws Exception {
        try (Stream stream = gpu.stream(); Buffer<float[]> buffer = gpu.floats(16 << 20)) {
            List<Double> extra = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                stream.fill(buffer, (byte) i);
                long begin = System.nanoTime();
                stream.synchronize();
                long waited = System.nanoTime() - begin;
                stream.fill(buffer, (byte) i);
                begin = System.nanoTime();
                stream.completion().get(10, TimeUnit.SECONDS);
                extra.add((System.nanoTime() - begin - waited) / 1e3);
            }
            extra.sort(null);
            System.out.println("a future is later than a wait by (us, of a fill of 64 MiB): median "
                    + extra.get(150) + ", 9 of 10 within " + extra.get(270));
            boolean virtual = false;
            for (int i = 0; i < 20 && !virtual; i++) {
                stream.fill(buffer, (byte) 1);
                virtual = stream.completion().thenApply(_ -> Thread.currentThread().isVirtual()).get(10,
                        TimeUnit.SECONDS);
            }
            require(virtual, "no dependent ran on a virtual thread");
        }
    }

    private static void replaysAllocateNothing(Gpu gpu) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Stream stream = gpu.stream(); Kernel kernel = gpu.load(SCALE); Buffer<float[]> x = gpu.floats(COUNT)) {
            KernelLaunch launch = scale(kernel, x, 1).on(stream);
            int kernels = 20;
            try (Graph graph = stream.capture(_ -> {
                for (int i = 0; i < kernels; i++) {
                    launch.start();
                }
            })) {
                double[] nanoseconds = new double[3];
                for (int round = 0; round < 5; round++) {
                    int times = 2000;
                    long allocated = threads.getCurrentThreadAllocatedBytes();
                    long begin = System.nanoTime();
                    for (int i = 0; i < times; i++) {
                        graph.start();
                    }
                    nanoseconds[0] = (System.nanoTime() - begin) / (double) times;
                    allocated = threads.getCurrentThreadAllocatedBytes() - allocated;
                    stream.synchronize();
                    // Who watches is told, in objects.
                    require(round < 2 || allocated < times || Trace.graphs(),
                            allocated + " bytes for " + times + " replays");
                    begin = System.nanoTime();
                    for (int i = 0; i < times; i++) {
                        launch.start();
                        if (i % 500 == 499) {
                            stream.synchronize();
                        }
                    }
                    nanoseconds[1] = (System.nanoTime() - begin) / (double) times;
                    stream.synchronize();
                    begin = System.nanoTime();
                    for (int i = 0; i < times; i++) {
                        graph.update(launch);
                    }
                    nanoseconds[2] = (System.nanoTime() - begin) / (double) times / kernels;
                    stream.synchronize();
                }
                System.out.printf("ns: a replay of %d kernels %.0f, a launch %.0f, an update of one node %.0f%n",
                        kernels, nanoseconds[0], nanoseconds[1], nanoseconds[2]);
            }
        }
    }

    private static void ranges(Gpu gpu) {
        System.out.println("NVTX is there: " + Nvtx.available());
        try (Nvtx.Range _ = Nvtx.range("checks"); Buffer<float[]> x = gpu.upload(numbers(0))) {
            require(x.download()[1] == numbers(0)[1], "a copy in a range");
        }
    }

    private static void aFaultFailsTheFutures(Gpu gpu) throws Exception {
        Stream stream = gpu.stream();
        Stream other = gpu.stream();
        Kernel kernel = gpu.load(WILD);
        Buffer<int[]> x = gpu.ints(1);
        KernelLaunch wild = kernel.prepare().grid(1).set("x", x).on(stream);
        Graph graph = stream.capture(_ -> wild.start());
        graph.start();
        for (Stream each : List.of(stream, other)) {
            try {
                each.completion().get(20, TimeUnit.SECONDS);
                require(each == other, "the future completed as if nothing had happened");
            } catch (ExecutionException e) {
                CudaException why = (CudaException) e.getCause();
                System.out.println(why.getMessage());
                require(why.contextIsLost() && why.getMessage().contains("graph of 1 nodes: kernel 'writes_wildly'"),
                        "the message names the graph");
            }
        }
        graph.close();
    }
}

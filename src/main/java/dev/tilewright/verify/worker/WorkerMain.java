package dev.tilewright.verify.worker;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.builder.Presets;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Backend;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.CudaException;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.KernelCompiler;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.GroupRunner;
import dev.tilewright.verify.draw.Kinds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * A worker process: cases come on standard input, {@code number TAB line}, those that share a kernel together and an
 * empty line behind them; what becomes of them goes to standard output as {@link WorkerMessage}s. It ends with its input,
 * or with its device.
 */
public final class WorkerMain {
    private static final int OUT_OF_ORDER = 4;

    private final PrintStream out;
    private final CaseKinds kinds = Kinds.of(Presets.CATALOG, Presets.ALL);
    private final CaseTimes times = new CaseTimes();

    private WorkerMain(PrintStream out) {
        this.out = out;
    }

    /** @param arguments see {@link WorkerOptions} */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        // What libraries print is not for the reader of the results.
        System.setOut(System.err);
        int code = new WorkerMain(out).run(WorkerOptions.parse(arguments));
        // Nothing is left to be said, and no thread waits for what still runs.
        Runtime.getRuntime().halt(code);
    }

    private int run(WorkerOptions options) throws IOException {
        List<Driver> drivers;
        try {
            drivers = drivers(options);
        } catch (MissingRequirementException | CudaException e) {
            say(new WorkerMessage.Missing(e.getMessage()));
            return 3;
        }
        GroupRunner runner = new GroupRunner(options.backend().toString(), drivers, times);
        say(new WorkerMessage.Ready(drivers.getFirst().name()));
        DeviceTurns turns = new DeviceTurns();
        ExecutorService threads = Executors.newFixedThreadPool(options.threads());
        List<NumberedLine> group = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isEmpty()) {
                    group.add(NumberedLine.parse(line));
                    continue;
                }
                WorkerGroup next = new WorkerGroup(List.copyOf(group), turns, this::say);
                threads.execute(() -> inOrder(() -> {
                    next.run(kinds, runner);
                    say(new WorkerMessage.Times(times.nanoseconds(), times.kernels()));
                }));
                group.clear();
            }
        }
        // Those of the last group may not have been said.
        say(new WorkerMessage.Times(times.nanoseconds(), times.kernels()));
        return 0;
    }

    /** What a case throws is its result; an error is of the machine, and of every case in it. */
    private static void inOrder(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            System.err.println(e);
            Runtime.getRuntime().halt(OUT_OF_ORDER);
        }
    }

    private static List<Driver> drivers(WorkerOptions options) {
        if (options.backend() == Backend.REFERENCE) {
            return Stream.<Driver>generate(() -> new ReferenceDriver(ReferenceOptions.DEFAULT.sequential()))
                    .limit(options.devices()).toList();
        }
        return List.of(CudaDriver.open(Devices.probe(), options.gpu(),
                KernelCompiler.cachingForUser(Progress.NONE, System.err::println), EmitOptions.BOUNDED));
    }

    private void say(WorkerMessage message) {
        synchronized (out) {
            out.println(message.line());
            out.flush();
        }
    }
}

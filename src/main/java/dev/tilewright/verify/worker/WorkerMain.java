package dev.tilewright.verify.worker;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A worker process: cases come on standard input, and what becomes of them goes to standard output, both as
 * {@link WorkerMessage}s. It ends with its input, or with its device.
 */
public final class WorkerMain {
    private static final int OUT_OF_ORDER = 4;

    private final PrintStream out;
    private final CaseKinds kinds = Kinds.toRead();
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
        List<CaseDevice> devices;
        try {
            devices = devices(options);
        } catch (MissingRequirementException | CudaException e) {
            say(new WorkerMessage.Missing(e.getMessage()));
            return 3;
        }
        GroupRunner runner = new GroupRunner(options.group(), devices, times);
        say(new WorkerMessage.Ready(devices.getFirst().name()));
        DeviceTurns turns = new DeviceTurns();
        ExecutorService threads = Executors.newFixedThreadPool(options.threads());
        List<WorkerMessage.Case> group = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (WorkerMessage.parse(line) instanceof WorkerMessage.Case told) {
                    group.add(told);
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

    private static List<CaseDevice> devices(WorkerOptions options) {
        if (options.gpu().isEmpty()) {
            return Collections.nCopies(options.devices(), CaseDevice.reference(ReferenceOptions.DEFAULT.sequential()));
        }
        // Ends with the process.
        return List.of(CaseDevice.of(Gpu.options().emit(EmitOptions.BOUNDED)
                .compiler(KernelCompiler.cachingForUser(Progress.NONE, System.err::println))
                .open(options.gpu().getAsInt())));
    }

    private void say(WorkerMessage message) {
        synchronized (out) {
            out.println(message.text());
            out.flush();
        }
    }
}

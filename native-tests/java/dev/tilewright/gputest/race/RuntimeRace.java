package dev.tilewright.gputest.race;

import dev.tilewright.gpu.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The runtime beside C++ that does the same, turn by turn in one run, and what is demanded of it:
 *
 * <pre>RuntimeRace SOURCES BUILT ROUNDS [SUBJECT ...]</pre>
 *
 * SOURCES is {@code native-tests/rivals}, BUILT the folder that its {@code build} compiled into; where there is
 * nothing in it, ours are measured alone. SUBJECT is one of launch-1, launch-8, copies, start, streaming; default
 * all. Every output is checked on both sides. Exit code 1 where something that is demanded was not reached.
 *
 * <p>{@code -Drace.work} is the folder for what is written, which for streaming is a file of 16 GiB (default: the
 * system's for temporary files); {@code -Drace.gib} what is taken for 1 GiB, for trying it where there is less.
 */
final class RuntimeRace {
    private static final long GIB = Long.getLong("race.gib", 1L << 30);
    private static final int LEAST_TURNS_OF_ONE_THREAD = 9;
    private static final int LEAST_TURNS_OF_START = 7;
    private static final int MOST_TURNS_OF_STREAMING = 3;
    private static final List<String> SUBJECTS = List.of("launch-1", "launch-8", "copies", "start", "streaming");

    private final int rounds;
    private final Path work;
    private final RaceKernels kernels;
    private final Rival rival;
    private final Table table = new Table(System.out);

    private RuntimeRace(Path sources, Path built, int rounds, Path work) {
        this.rounds = rounds;
        this.work = work;
        this.kernels = RaceKernels.in(sources);
        this.rival = new Rival(built);
    }

    public static void main(String[] arguments) throws IOException {
        Path parent = Path.of(System.getProperty("race.work", System.getProperty("java.io.tmpdir")));
        List<String> subjects = arguments.length > 3 ? List.of(arguments).subList(3, arguments.length) : SUBJECTS;
        Path work = Files.createTempDirectory(parent, "tilewright-race");
        RuntimeRace race = new RuntimeRace(Path.of(arguments[0]), Path.of(arguments[1]),
                Integer.parseInt(arguments[2]), work);
        try {
            race.run(subjects);
        } finally {
            race.rival.close();
            clean(work);
        }
        List<String> missed = race.table.missed();
        System.out.println(missed.isEmpty() ? "all that is demanded was reached" : "missed: " + missed);
        System.exit(missed.isEmpty() ? 0 : 1);
    }

    private static void clean(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private void run(List<String> subjects) {
        System.out.printf("medians of %d turns of each side, least and most behind them%n", rounds);
        for (String subject : subjects) {
            switch (subject) {
                case "launch-1" -> withGpu(gpu -> launches(gpu, 1, 1.05));
                case "launch-8" -> withGpu(gpu -> launches(gpu, 8, 1.10));
                case "copies" -> withGpu(this::copies);
                case "start" -> start();
                case "streaming" -> withGpu(this::streaming);
                default -> throw new IllegalArgumentException("no subject '" + subject + "': " + SUBJECTS);
            }
        }
    }

    private static void withGpu(Consumer<Gpu> subject) {
        try (Gpu gpu = Gpu.open()) {
            System.out.println(gpu.name());
            subject.accept(gpu);
        }
    }

    /**
     * On a GPU that no other process has open, not even this one, as it is when a program is started on an idle
     * machine; and then beside a process that uses it, which spares the driver a part of its work.
     */
    private void start() {
        StartUpRace race = new StartUpRace(work);
        race.explain();
        int turns = Math.max(rounds, LEAST_TURNS_OF_START);
        race.run(turns, "first tile checked", 1.5, rival, table);
        withGpu(gpu -> race.run(turns, "beside a process on the GPU", 0, rival, table));
    }

    private void launches(Gpu gpu, int threads, double bound) {
        LaunchRace race = new LaunchRace(gpu, kernels);
        // A turn of one thread is short, and a host has its moods.
        int turns = threads == 1 ? Math.max(rounds, LEAST_TURNS_OF_ONE_THREAD) : rounds;
        for (boolean empty : new boolean[] {true, false}) {
            race.run(turns, empty, threads, bound, rival, table);
        }
    }

    private void copies(Gpu gpu) {
        try (CopyRace race = new CopyRace(gpu, GIB, 64 << 20, rounds, rival, table)) {
            race.run();
        }
    }

    private void streaming(Gpu gpu) {
        // Each turn moves 64 GiB and more, so a few say enough.
        int turns = Math.min(rounds, MOST_TURNS_OF_STREAMING);
        double both;
        try (CopyRace race = new CopyRace(gpu, GIB, 64 << 20, turns, rival, table)) {
            both = race.bothWays();
        }
        List<Gpu> gpus = Gpu.choose().openAll();
        try (StreamingRace race = new StreamingRace(gpus, kernels, 32 * GIB, 16 * GIB, turns, rival, table)) {
            race.run(both, work);
        } finally {
            gpus.forEach(Gpu::close);
        }
    }
}

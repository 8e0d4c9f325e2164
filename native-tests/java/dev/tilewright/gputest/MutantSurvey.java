package dev.tilewright.gputest;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs every mutant of every preset on the GPU and writes what each did, as lines of tab-separated values: the data
 * from which {@link ReliableMutants} is chosen. From an unpacked GPU bundle:
 *
 * <pre>{@code
 * cd gpu-bundle && runtime/bin/java --enable-native-access=ALL-UNNAMED -Dtilewright.root=. \
 *     -cp 'test-classes:lib/*:test-lib/*' dev.tilewright.gputest.MutantSurvey mutants.tsv 540 5 [PRESET ...]
 * }</pre>
 *
 * <p>The arguments are the file, the seconds that all may take (default 540), the launches of each mutant (default 5),
 * and presets (default all, one of each kind first, in case that the time runs out). A file that is there already is
 * gone on with: mutants in it are not run again.
 */
final class MutantSurvey {
    /** One of every kind first. */
    private static final List<String> FIRST = List.of("cp-async-pipeline", "bulk-add", "bulk-copy-token",
            "tensor-scale", "tensor-rebind", "tensor-copy-128b", "tensor-copy", "bulk-copy", "cp-async-pipeline-2d");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private MutantSurvey() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length == 0) {
            System.err.println("arguments: FILE.tsv [SECONDS [LAUNCHES [PRESET ...]]]");
            System.exit(2);
        }
        Path file = Path.of(args[0]);
        Instant until = Instant.now().plusSeconds(args.length > 1 ? Long.parseLong(args[1]) : 540);
        int launches = args.length > 2 ? Integer.parseInt(args[2]) : 5;
        List<Preset> presets = args.length > 3 ? List.of(args).subList(3, args.length).stream().map(Presets::named)
                .toList() : ordered();
        List<String> done = Files.exists(file) ? Files.readAllLines(file) : List.of();
        Map<MutantOutcome.Kind, Integer> counts = new TreeMap<>();
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            (done.isEmpty() ? List.of(MutantOutcome.HEADER) : done).forEach(out::println);
            for (Preset preset : presets) {
                try {
                    new MutantRuns(preset.name(), launches, false, PATIENCE)
                            .run(names(preset, done), until, outcome -> {
                        out.println(outcome.line());
                        out.flush();
                        counts.merge(outcome.kind(), 1, Integer::sum);
                    });
                } catch (IllegalStateException e) {
                    System.err.println(preset.name() + ": " + e.getMessage());
                }
                System.err.println(preset.name() + " done, so far " + counts + ", "
                        + Math.max(0, Duration.between(Instant.now(), until).toSeconds()) + " s left");
            }
        }
    }

    private static List<Preset> ordered() {
        List<Preset> ordered = new ArrayList<>(FIRST.stream().map(Presets::named).toList());
        Presets.ALL.stream().filter(p -> !ordered.contains(p)).forEach(ordered::add);
        return ordered;
    }

    private static List<String> names(Preset preset, List<String> done) {
        List<String> names = new ArrayList<>(List.of(MutantWorker.UNBROKEN));
        Mutants.of(LargeCase.of(preset).kernel().program()).stream().map(Mutant::name).forEach(names::add);
        names.removeIf(name -> done.stream().anyMatch(line -> line.startsWith(preset.name() + "\t" + name + "\t")));
        return names;
    }
}

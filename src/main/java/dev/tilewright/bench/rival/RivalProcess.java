package dev.tilewright.bench.rival;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.result.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The C++ side ({@code native-tests/rivals}): one process that answers commands, so that it and ours take turns on a
 * GPU that keeps its clocks. It is compiled, found and started when it is first asked for something. One that crashes
 * or does not answer in time is started anew by the next command.
 */
public final class RivalProcess implements AutoCloseable {
    /** Of one answer; the longest, streaming of many GiB, takes some twenty seconds. */
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Supplier<Path> finding;
    private final Duration limit;
    private final int gpu;
    private Path folder;
    private String absence;
    private AskedProcess process;
    private List<RivalKernel> kernels;

    /** One that was compiled before. @param folder what {@code native-tests/rivals/build} compiled into */
    public RivalProcess(Path folder) {
        this(folder, 0);
    }

    /** A compiled rival on another GPU than the first. @param gpu ordinal */
    public RivalProcess(Path folder, int gpu) {
        this(() -> {
            if (!Files.isExecutable(folder.resolve("rivals")) || !Files.isExecutable(folder.resolve("first_tile"))) {
                throw new MissingRequirementException("there are no rivals in " + folder
                        + ": native-tests/rivals/build compiles them where there is nvcc");
            }
            return folder;
        }, LIMIT, gpu);
        Objects.requireNonNull(folder, "folder");
    }

    /** @param finding says where it is, or throws {@link MissingRequirementException} @param limit of one answer */
    RivalProcess(Supplier<Path> finding, Duration limit) {
        this(finding, limit, 0);
    }

    private RivalProcess(Supplier<Path> finding, Duration limit, int gpu) {
        this.finding = finding;
        this.limit = limit;
        this.gpu = gpu;
    }

    /** Of the sources in this jar, compiled when it is first asked for. @param gpu ordinal */
    public static RivalProcess compiled(Progress progress, int gpu) {
        Objects.requireNonNull(progress, "progress");
        return new RivalProcess(() -> {
            Path folder = new Rivals().obtain(progress);
            if (!Files.isExecutable(folder.resolve("rivals"))) {
                throw new MissingRequirementException("the rivals in CUDA C++ were compiled without a driver to"
                        + " link with: remove " + folder + " and run this again");
            }
            return folder;
        }, LIMIT, gpu);
    }

    /** None. @param why in one sentence, for the rows that it would have had */
    public static RivalProcess none(String why) {
        Objects.requireNonNull(why, "why");
        return new RivalProcess(() -> {
            throw new MissingRequirementException(why);
        }, LIMIT);
    }

    /** Whether there is a C++ side: not where there is no nvcc to build it. */
    public boolean isPresent() {
        if (folder == null && absence == null) {
            try {
                folder = finding.get();
            } catch (MissingRequirementException e) {
                absence = e.getMessage();
            }
        }
        return folder != null;
    }

    /** Why there is none, or why it had no answer the last time, in one sentence. */
    public String absence() {
        isPresent();
        return absence == null ? "the rivals in CUDA C++ have not been asked" : absence;
    }

    /** The command of a process that moves one tile and ends: {@code first_tile}. */
    public List<String> firstTile() {
        if (!isPresent()) {
            throw new MissingRequirementException(absence);
        }
        return List.of(folder.resolve("first_tile").toString(), folder.resolve("kernels.cubin").toString());
    }

    /**
     * Lets it run a command.
     *
     * @return its figures by their names; none where there is no C++ side, or it had no answer: {@link #absence} says
     *     why
     */
    public Map<String, Spread> ask(String command) {
        Map<String, Spread> spreads = new LinkedHashMap<>();
        try {
            figures(command).forEach(figure -> spreads.put(figure.name(), figure.spread()));
        } catch (RivalException e) {
            if (e.kind() != RivalException.Kind.ABSENT) {
                absence = "the rivals in CUDA C++ have no answer: " + e.getMessage();
            }
            return Map.of();
        }
        return spreads;
    }

    /**
     * Lets it run a command.
     *
     * @return its figures, in its order
     * @throws RivalException if there is none, with the reason
     */
    public List<RivalFigure> figures(String command) {
        return lines(command).stream().flatMap(line -> Answers.figure(line, command).stream()).toList();
    }

    private List<JsonNode> lines(String command) {
        Objects.requireNonNull(command, "command");
        if (!isPresent()) {
            throw new RivalException(RivalException.Kind.ABSENT, absence);
        }
        if (process == null) {
            ProcessBuilder builder = new ProcessBuilder(folder.resolve("rivals").toString());
            VisibleGpus.choose(gpu, builder);
            process = new AskedProcess("the rivals in CUDA C++", builder);
        }
        return process.ask(command, limit);
    }

    /** The kernels that there are. @throws RivalException if there is no C++ side, with the reason */
    public List<RivalKernel> kernels() {
        if (kernels == null) {
            List<RivalKernel> all = new ArrayList<>();
            for (JsonNode line : lines("list")) {
                if (line.has("kernel")) {
                    all.add(new RivalKernel(line.get("kernel").asText(), line.path("mechanism").asText(),
                            line.path("parameters").asText()));
                }
            }
            kernels = List.copyOf(all);
        }
        return kernels;
    }

    /** Lets it run a command whose answer is one figure; null where there is no C++ side, or it had no answer. */
    public Spread measure(String command) {
        return ask(command).values().stream().findFirst().orElse(null);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}

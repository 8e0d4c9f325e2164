package dev.tilewright.bench.rival;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.NotNull;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * PyTorch and Triton, where a Python has them: one process of {@code python_rivals.py}, which answers commands. It is
 * started when it is first asked for something.
 */
public final class PythonRivals implements AutoCloseable {
    /** Of one answer: the first takes the packages' loading, Triton's its compilations. */
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final String SCRIPT = "python_rivals.py";

    private final Supplier<RivalSources> sources;
    private final PythonEnvironment environment;
    private final Duration limit;
    private final String why;
    private final int gpu;
    private Path script;
    private AskedProcess process;

    /** Of this machine's Python. @param gpu ordinal of that on which they measure */
    public PythonRivals(int gpu) {
        this(PythonEnvironment.of(HostEnvironment.current()), RivalSources::packed, LIMIT, null, gpu);
    }

    PythonRivals(PythonEnvironment environment, Supplier<RivalSources> sources, Duration limit, String why) {
        this(environment, sources, limit, why, 0);
    }

    private PythonRivals(PythonEnvironment environment, Supplier<RivalSources> sources, Duration limit, String why,
            int gpu) {
        this.environment = environment;
        this.sources = sources;
        this.limit = limit;
        this.why = why;
        this.gpu = gpu;
    }

    /** None. @param why in one sentence, for the rows that it would have had */
    public static PythonRivals none(String why) {
        Objects.requireNonNull(why, "why");
        return new PythonRivals(new PythonEnvironment(Optional.empty()), RivalSources::packed, LIMIT, why);
    }

    /** Work that a side does: {@code softmax} of {@code triton}. */
    public record Work(String side, String name) {

        public Work {
            NotNull.all("side, name", side, name);
        }
    }

    /**
     * What there is.
     *
     * @throws RivalException if there is no Python, or no PyTorch in it
     */
    public List<Work> works() {
        List<Work> all = new ArrayList<>();
        String reason = "";
        for (JsonNode line : lines("list")) {
            if (line.has("work")) {
                all.add(new Work(line.path("side").asText(), line.get("work").asText()));
            } else if (reason.isEmpty()) {
                reason = line.path("reason").asText();
            }
        }
        if (all.isEmpty()) {
            throw new RivalException(RivalException.Kind.ABSENT,
                    reason.isEmpty() ? "there is neither PyTorch nor Triton" : reason);
        }
        return all;
    }

    /**
     * Measures.
     *
     * @param work what
     * @param type of the elements: f32, f16, bf16, tf32, f8, u8
     * @param shape of the array; of a product M, N, K
     * @return its figures, cuMemcpy's among them where bytes count
     * @throws RivalException if there is none, with the reason
     */
    public List<RivalFigure> figures(Work work, String type, List<Long> shape, long seed, int turns) {
        NotNull.all("work, type", work, type);
        String sides = String.join("x", shape.stream().map(String::valueOf).toList());
        String command = work.name() + " " + work.side() + " " + type + " " + sides + " " + seed + " " + turns;
        return lines(command).stream().flatMap(line -> Answers.figure(line, command).stream()).toList();
    }

    private List<JsonNode> lines(String command) {
        if (why != null) {
            throw new RivalException(RivalException.Kind.ABSENT, why);
        }
        Path python = environment.python().orElseThrow(() -> new RivalException(RivalException.Kind.ABSENT,
                "no python3 on the PATH to look for PyTorch and Triton in, and TILEWRIGHT_PYTHON names none"));
        if (process == null) {
            try {
                script = Files.createTempFile("tilewright-rivals", ".py");
                Files.writeString(script, sources.get().text(SCRIPT));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            ProcessBuilder builder = new ProcessBuilder(python.toString(), script.toString());
            builder.environment().put("PYTHONUNBUFFERED", "1");
            VisibleGpus.choose(gpu, builder);
            process = new AskedProcess("the rivals in Python", builder);
        }
        return process.ask(command, limit);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        if (script != null) {
            try {
                Files.deleteIfExists(script);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

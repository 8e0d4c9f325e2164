package dev.tilewright.bench.rival;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.bench.result.Spread;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The C++ side ({@code native-tests/rivals}): one process that answers commands, so that it and ours take turns on a
 * GPU that keeps its clocks.
 */
public final class RivalProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private Process process;
    private Writer commands;
    private BufferedReader answers;

    /**
     * It is started when it is first asked for something.
     *
     * @param folder what {@code native-tests/rivals/build} compiled into
     */
    public RivalProcess(Path folder) {
        this.folder = folder;
    }

    /** Whether there is a C++ side: not where there was no nvcc to build it. */
    public boolean isPresent() {
        return Files.isExecutable(folder.resolve("rivals")) && Files.isExecutable(folder.resolve("first_tile"));
    }

    /** Why there is none, in one sentence. */
    public String absence() {
        return "there are no rivals in " + folder + ": native-tests/rivals/build compiles them where there is nvcc";
    }

    private void start() throws IOException {
        if (process == null) {
            process = new ProcessBuilder(folder.resolve("rivals").toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }
    }

    /** The command of a process that moves one tile and ends: {@code first_tile}. */
    public List<String> firstTile() {
        return List.of(folder.resolve("first_tile").toString(), folder.resolve("kernels.cubin").toString());
    }

    /**
     * Lets it run a command.
     *
     * @return its figures by their names; none where there is no C++ side
     */
    public Map<String, Spread> ask(String command) {
        if (!isPresent()) {
            return Map.of();
        }
        try {
            start();
            commands.write(command + "\n");
            commands.flush();
            Map<String, Spread> figures = new LinkedHashMap<>();
            while (true) {
                String line = answers.readLine();
                if (line == null) {
                    throw new IllegalStateException("the rivals ended at '" + command + "'");
                }
                JsonNode answer = JSON.readTree(line);
                if (answer.has("error")) {
                    throw new IllegalStateException("the rivals at '" + command + "': " + answer.get("error").asText());
                }
                if (answer.has("done")) {
                    return figures;
                }
                if (answer.has("name")) {
                    figures.put(answer.get("name").asText(), new Spread(answer.get("median").asDouble(),
                            answer.get("least").asDouble(), answer.get("lower").asDouble(),
                            answer.get("upper").asDouble(), answer.get("most").asDouble(),
                            answer.get("samples").asInt()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the rivals at '" + command + "': " + e.getMessage(), e);
        }
    }

    /** Lets it run a command whose answer is one figure; null where there is no C++ side. */
    public Spread measure(String command) {
        return ask(command).values().stream().findFirst().orElse(null);
    }

    @Override
    public void close() {
        if (process == null) {
            return;
        }
        try {
            commands.close();
            process.waitFor();
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

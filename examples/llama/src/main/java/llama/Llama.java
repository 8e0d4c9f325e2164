package llama;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: continues prompts, which are numbers of tokens. */
@Command(name = "llama", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Continues prompts with a decoder-only transformer over tile kernels.")
public final class Llama implements Callable<Integer> {
    private static final int ROWS = 256;

    @Option(names = "--model", defaultValue = "tiny",
            description = "tiny or 1b, with weights from --seed, or a folder with config.json and safetensors files")
    private String model;
    @Option(names = "--seed", defaultValue = "1", description = "of weights that are made")
    private long seed;
    @Option(names = "--prompt", required = true, description = "tokens, such as 1,2,3; again for another prompt")
    private List<String> prompts;
    @Option(names = "--count", defaultValue = "16", description = "tokens to make of each prompt")
    private int count;
    @Option(names = "--temperature", defaultValue = "0", description = "of sampling; 0 takes the likeliest")
    private double temperature;
    @Option(names = "--sampling-seed", defaultValue = "1", description = "where there is a temperature")
    private long samplingSeed;
    @Option(names = "--pages", defaultValue = "64", description = "of the cache, 64 tokens each")
    private int pages;
    @Option(names = "--cpu", description = "on the CPU, by the executor of the tile language")
    private boolean cpu;

    private Llama() {
    }

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(command().execute(args));
    }

    static CommandLine command() {
        return new CommandLine(new Llama()).setExecutionExceptionHandler((e, command, _) -> {
            // A file's exception may say nothing but its name.
            command.getErr().println("llama: " + (e instanceof FileSystemException ? "cannot read " : "")
                    + e.getMessage());
            return e instanceof IllegalArgumentException || e instanceof IOException ? 2 : 1;
        });
    }

    @Override
    public Integer call() throws IOException {
        try {
            continuePrompts();
            return 0;
        } catch (OutOfMemoryError e) {
            throw new IllegalStateException("the model does not fit into memory: " + e.getMessage(), e);
        }
    }

    private void continuePrompts() throws IOException {
        List<int[]> tokens = prompts.stream().map(Llama::tokens).toList();
        try (Arena arena = Arena.ofShared()) {
            Source source = Source.of(model, seed, arena);
            System.err.println(source.note());
            if (cpu) {
                try (Device device = new CpuDevice(Target.SM_90A)) {
                    run(device, source, tokens);
                }
            } else {
                try (Gpu gpu = Gpu.openOrEmulated(System.err::println); Device device = new GpuDevice(gpu)) {
                    run(device, source, tokens);
                }
            }
        }
    }

    private static int[] tokens(String prompt) {
        try {
            return Arrays.stream(prompt.split(",", -1)).mapToInt(token -> Integer.parseInt(token.strip())).toArray();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a prompt is numbers of tokens, such as 1,2,3, and not " + prompt, e);
        }
    }

    private void run(Device device, Source source, List<int[]> tokens) {
        Model.Limits limits = new Model.Limits(ROWS, tokens.size(), tokens.size());
        try (Model loaded = new Model(device, source.config(), source.weights(), limits, pages)) {
            Engine engine = new Engine(loaded, ROWS);
            List<Engine.Request> requests = tokens.stream().map(prompt -> engine.submit(prompt, count,
                    new Sampler(temperature, samplingSeed))).toList();
            engine.finish();
            requests.forEach(request -> System.out.println(Arrays.stream(request.made()).mapToObj(String::valueOf)
                    .collect(Collectors.joining(","))));
        }
    }
}

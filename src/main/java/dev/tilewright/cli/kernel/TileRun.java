package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.Difference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Runs a tile kernel on arrays of files, and writes what it leaves in those that it writes.
 *
 * @param title of the kernel in messages
 * @param inputs what is read
 */
record TileRun(Terminal terminal, String name, String title, TileKernel kernel, TileInputs inputs) {
    /**
     * The document. What is of one result stands in it, and of several in a list.
     *
     * @param difference what {@code --check} found
     * @param output left out where nothing was written
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Report(String kernel, ElementType type, List<Long> shape, String device, boolean checked,
            String difference, String output, List<Result> results) { }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Result(String array, ElementType type, List<Long> shape, String output) { }

    /**
     * The file of each array that the kernel writes.
     *
     * @param outputs {@code NAME=FILE} each, or one file where one array is written
     */
    Map<Tensor, Path> results(List<Path> outputs) {
        List<Tensor> written = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN).toList();
        Map<Tensor, Path> results = new LinkedHashMap<>();
        for (Path output : outputs) {
            Optional<Tensor> named = written.stream().filter(t -> output.toString().startsWith(t.name() + "="))
                    .findFirst();
            if (named.isEmpty() && written.size() != 1) {
                throw new BadRequestException(title + " writes " + TileInputs.names(written) + ": say which --output "
                        + output + " is, such as --output " + written.getFirst().name() + "=" + output);
            }
            if (results.put(named.orElse(written.getFirst()), named.isEmpty() ? output : TileInputs.file(output))
                    != null) {
                throw new BadRequestException("--output is given twice for '" + named.orElse(written.getFirst()).name()
                        + "': name one file");
            }
        }
        written.stream().filter(t -> !results.containsKey(t)).findFirst().ifPresent(t -> {
            throw new BadRequestException(written.size() == 1 ? "name the file for the result with --output Y.npy"
                    : title + " writes " + TileInputs.names(written) + ": name the file for '" + t.name()
                            + "' with --output " + t.name() + "=Y.npy");
        });
        return results;
    }

    /** @param gpu empty for the executor on the CPU @param check whether the other has to leave the same bytes */
    int run(Optional<Gpu> gpu, Map<Tensor, Path> results, boolean check, boolean json) {
        Map<Tensor, NpyWriter> writers = new LinkedHashMap<>();
        try (Arena arena = Arena.ofShared()) {
            results.forEach((tensor, file) -> writers.put(tensor, NpyWriter.create(file, type(tensor),
                    inputs.shape(tensor))));
            Map<Tensor, MemorySegment> left = new LinkedHashMap<>();
            writers.forEach((tensor, writer) -> left.put(tensor, writer.data()));
            launch(gpu, left);
            Optional<String> complaint = check ? complaint(gpu, left, arena) : Optional.empty();
            if (complaint.isEmpty()) {
                writers.values().forEach(NpyWriter::commit);
            }
            report(gpu, results, check, complaint, json);
            return complaint.isEmpty() ? ExitCode.OK : ExitCode.FOUND;
        } finally {
            writers.values().forEach(NpyWriter::close);
        }
    }

    private ElementType type(Tensor tensor) {
        return inputs.array(tensor).type();
    }

    /** The first array of which the other executor leaves other bytes. */
    private Optional<String> complaint(Optional<Gpu> gpu, Map<Tensor, MemorySegment> left, Arena arena) {
        Map<Tensor, MemorySegment> other = new LinkedHashMap<>();
        left.forEach((tensor, memory) -> other.put(tensor, arena.allocate(Math.max(1, memory.byteSize())).asSlice(0,
                memory.byteSize())));
        checkBy(gpu, other);
        return left.keySet().stream().flatMap(tensor -> Difference.between(other.get(tensor), left.get(tensor)).map(d ->
                "the executor on the CPU and the program for a GPU differ: " + (left.size() == 1 ? ""
                        : "'" + tensor.name() + "': ") + d.describe(type(tensor), inputs.shape(tensor))).stream())
                .findFirst();
    }

    private void report(Optional<Gpu> gpu, Map<Tensor, Path> results, boolean check, Optional<String> complaint,
            boolean json) {
        String device = gpu.map(Gpu::name).orElse("the CPU");
        List<Result> all = new ArrayList<>();
        results.forEach((tensor, file) -> all.add(new Result(tensor.name(), type(tensor), inputs.shape(tensor),
                complaint.isPresent() ? null : file.toString())));
        boolean isOne = all.size() == 1;
        if (json) {
            Result first = all.getFirst();
            terminal.json(new Report(name, isOne ? first.type : null, isOne ? first.shape : null, device, check,
                    complaint.orElse(null), isOne ? first.output : null, isOne ? null : all));
            return;
        }
        String what = results.keySet().stream().map(tensor -> (isOne ? "" : "'" + tensor.name() + "' ") + tensor.type()
                + " " + Units.shape(inputs.shape(tensor))).collect(Collectors.joining(", "));
        String files = results.values().stream().map(Path::toString).collect(Collectors.joining(", "));
        terminal.result(name + " " + what + " on " + device + ": " + complaint.map(text -> text + "; " + files
                + " not written").orElseGet(() -> results.entrySet().stream().map(this::written)
                        .collect(Collectors.joining(", ")) + (check ? gpu.isPresent() ? ", every byte equals the CPU's"
                                : ", every byte equals that of the program for a GPU" : "")));
    }

    private String written(Map.Entry<Tensor, Path> result) {
        long bytes = inputs.shape(result.getKey()).stream().reduce((long) type(result.getKey()).bytes(),
                Math::multiplyExact);
        return Units.bytes(bytes) + " written to " + result.getValue();
    }

    private void launch(Optional<Gpu> gpu, Map<Tensor, MemorySegment> to) {
        if (gpu.isEmpty()) {
            run(kernel.onCpu(), to);
            return;
        }
        try (ArrayKernel loaded = gpu.get().load(kernel)) {
            run(loaded.launch(), to);
        }
    }

    private void checkBy(Optional<Gpu> gpu, Map<Tensor, MemorySegment> to) {
        if (gpu.isPresent()) {
            run(kernel.onCpu(), to);
            return;
        }
        try (Gpu emulated = Gpu.emulated(); ArrayKernel loaded = emulated.load(kernel)) {
            run(loaded.launch(), to);
        }
    }

    private <S extends ArrayLaunch<S>> void run(S launch, Map<Tensor, MemorySegment> to) {
        kernel.tensors().forEach(tensor -> {
            MemorySegment memory = to.get(tensor);
            Npy before = inputs.given().get(tensor.name());
            // An array of another shape than the others ask for is refused by the launch.
            if (memory != null && before != null && memory.byteSize() == before.data().byteSize()) {
                memory.copyFrom(before.data());
            }
            launch.set(tensor.name(), memory != null ? memory : before.data(), before != null ? before.dimensions()
                    : inputs.shape(tensor).stream().mapToLong(Long::longValue).toArray());
        });
        inputs.scalars().forEach(launch::scalar);
        launch.run();
    }
}

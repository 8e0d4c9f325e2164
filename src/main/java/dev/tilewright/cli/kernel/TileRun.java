package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.Difference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Runs a tile kernel on arrays of files, and writes what it leaves in the one that it writes.
 *
 * @param title of the kernel in messages
 * @param inputs what is read
 */
record TileRun(Terminal terminal, String name, String title, TileKernel kernel, TileInputs inputs) {
    /** The document. @param difference what {@code --check} found @param output left out where nothing was written */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Report(String kernel, ElementType type, List<Long> shape, String device, boolean checked,
            String difference, String output) { }

    /** @param gpu empty for the executor on the CPU @param check whether the other has to leave the same bytes */
    int run(Optional<Gpu> gpu, Path output, boolean check, boolean json) {
        Tensor result = result();
        List<Long> shape = inputs.shape(result);
        try (NpyWriter writer = NpyWriter.create(output, inputs.array(result).type(), shape);
                Arena arena = Arena.ofShared()) {
            launch(gpu, result, shape, writer.data());
            Optional<String> complaint = Optional.empty();
            if (check) {
                MemorySegment other = arena.allocate(Math.max(1, writer.data().byteSize())).asSlice(0,
                        writer.data().byteSize());
                checkBy(gpu, result, shape, other);
                complaint = Difference.between(other, writer.data()).map(d -> "the executor on the CPU and the program"
                        + " for a GPU differ: " + d.describe(inputs.array(result).type(), shape));
            }
            if (complaint.isEmpty()) {
                writer.commit();
            }
            report(gpu, result, shape, output, check, complaint, json, writer.data().byteSize());
            return complaint.isEmpty() ? ExitCode.OK : ExitCode.FOUND;
        }
    }

    private void report(Optional<Gpu> gpu, Tensor result, List<Long> shape, Path output, boolean check,
            Optional<String> complaint, boolean json, long bytes) {
        String device = gpu.map(Gpu::name).orElse("the CPU");
        if (json) {
            terminal.json(new Report(name, inputs.array(result).type(), shape, device, check, complaint.orElse(null),
                    complaint.isPresent() ? null : output.toString()));
            return;
        }
        terminal.result(name + " " + result.type() + " " + Units.shape(shape) + " on " + device + ": "
                + complaint.map(text -> text + "; " + output + " not written").orElseGet(() -> Units.bytes(bytes)
                        + " written to " + output + (check ? gpu.isPresent() ? ", every byte equals the CPU's"
                        : ", every byte equals that of the program for a GPU" : "")));
    }

    private Tensor result() {
        List<Tensor> written = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN).toList();
        if (written.size() != 1) {
            throw new BadRequestException("run writes one array, and " + title + " writes " + TileInputs.names(written)
                    + ": launch it from Java, with kernel.onCpu() or gpu.load(kernel)");
        }
        return written.getFirst();
    }

    private void launch(Optional<Gpu> gpu, Tensor result, List<Long> shape, MemorySegment to) {
        if (gpu.isEmpty()) {
            run(kernel.onCpu(), result, shape, to);
            return;
        }
        try (ArrayKernel loaded = gpu.get().load(kernel)) {
            run(loaded.launch(), result, shape, to);
        }
    }

    private void checkBy(Optional<Gpu> gpu, Tensor result, List<Long> shape, MemorySegment to) {
        if (gpu.isPresent()) {
            run(kernel.onCpu(), result, shape, to);
            return;
        }
        try (Gpu emulated = Gpu.emulated(); ArrayKernel loaded = emulated.load(kernel)) {
            run(loaded.launch(), result, shape, to);
        }
    }

    private <S extends ArrayLaunch<S>> void run(S launch, Tensor result, List<Long> shape, MemorySegment to) {
        inputs.given().forEach((tensor, array) -> {
            if (!tensor.equals(result.name())) {
                launch.set(tensor, array.data(), array.dimensions());
            } else {
                to.copyFrom(array.data());
            }
        });
        launch.set(result.name(), to, shape.stream().mapToLong(Long::longValue).toArray());
        inputs.scalars().forEach(launch::scalar);
        launch.run();
    }
}

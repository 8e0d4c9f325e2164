package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyReader;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.Difference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs a tile kernel on arrays of files, and writes what it leaves in the one that it writes. */
final class TileRun {
    /** The document. @param difference what {@code --check} found @param output left out where nothing was written */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Report(String kernel, ElementType type, List<Long> shape, String device, boolean checked,
            String difference, String output) { }

    private final Terminal terminal;
    private final String name;
    private final String title;
    private final TileKernel kernel;
    private final Map<String, Long> extents;
    private final Map<String, Npy> given = new LinkedHashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();

    /** @param title of the kernel in messages @param extents of dimensions, as far as no input gives them */
    TileRun(Terminal terminal, String name, String title, TileKernel kernel, Map<String, Long> extents) {
        this.terminal = terminal;
        this.name = name;
        this.title = title;
        this.kernel = kernel;
        this.extents = new HashMap<>(extents);
    }

    /** Reads {@code NAME=FILE} each, or one file where one tensor is read. */
    void read(List<Path> inputs, Path output, Arena arena) {
        List<Tensor> wanted = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.OUT).toList();
        NamedFiles files = new NamedFiles().writing("--output", output);
        for (Path input : inputs) {
            String text = input.toString();
            int equals = text.indexOf('=');
            if (equals < 0 && wanted.size() != 1) {
                throw new BadRequestException(title + " reads " + names(wanted) + ": say which --input "
                        + text + " is, such as --input " + wanted.stream().map(Tensor::name).findFirst().orElse("a")
                        + "=" + text);
            }
            String tensor = equals < 0 ? wanted.getFirst().name() : text.substring(0, equals);
            Path file = file(input);
            files.reading("--input", file);
            take(wanted.stream().filter(t -> t.name().equals(tensor)).findFirst().orElseThrow(() ->
                    new BadRequestException(title + " reads " + names(wanted) + ", and no '" + tensor
                            + "'")), file, NpyReader.open(file, arena));
        }
        files.requireApart();
        wanted.stream().filter(t -> !given.containsKey(t.name())).findFirst().ifPresent(t -> {
            throw new BadRequestException(title + " reads " + names(wanted) + ": name the file of '"
                    + t.name() + "' with --input " + t.name() + "=X.npy");
        });
    }

    /** The file of {@code NAME=FILE}, or of {@code FILE}. */
    static Path file(Path input) {
        return Path.of(input.toString().substring(input.toString().indexOf('=') + 1));
    }

    private static String names(List<Tensor> tensors) {
        return String.join(", ", tensors.stream().map(Tensor::name).toList());
    }

    private void take(Tensor tensor, Path file, Npy array) {
        ElementType type = array(tensor).type();
        if (array.type().bytes() != type.bytes()
                || array.type() != type && (array.type().isFloat() || !tensor.type().isFloat())) {
            throw new BadRequestException("--input " + tensor.name() + " has elements of " + tensor.type() + ", and "
                    + file + " holds " + array.type());
        }
        if (array.shape().size() != tensor.dims().size()) {
            throw new BadRequestException("--input " + tensor.name() + " has " + tensor.dims().size()
                    + " dimensions, " + tensor.dims() + ", and " + file + " holds " + Units.shape(array.shape()));
        }
        given.put(tensor.name(), array);
        for (int i = 0; i < tensor.dims().size(); i++) {
            if (kernel.dims().contains(tensor.dims().get(i))) {
                extents.putIfAbsent(tensor.dims().get(i).name(), array.shape().get(i));
            }
        }
    }

    private Launchable.Array array(Tensor tensor) {
        return kernel.arrays().get(kernel.tensors().indexOf(tensor));
    }

    /** Takes {@code NAME=NUMBER}, or a number where there is one scalar. */
    void scalars(List<String> texts) {
        for (String text : texts) {
            int equals = text.indexOf('=');
            String scalar = equals >= 0 ? text.substring(0, equals)
                    : kernel.scalars().size() == 1 ? kernel.scalars().getFirst().name() : "";
            if (kernel.scalars().stream().noneMatch(s -> s.name().equals(scalar))) {
                throw new BadRequestException("--scalar " + text + " is none of " + title + ": it has "
                        + kernel.scalars().stream().map(s -> s.name()).toList() + ", given as NAME=NUMBER");
            }
            try {
                scalars.put(scalar, Double.valueOf(text.substring(equals + 1)));
            } catch (NumberFormatException e) {
                throw new BadRequestException("--scalar " + text + " is no number", e);
            }
        }
    }

    /** @param gpu empty for the executor on the CPU @param check whether the other has to leave the same bytes */
    int run(Optional<Gpu> gpu, Path output, boolean check, boolean json) {
        Tensor result = result();
        kernel.dims().stream().filter(dim -> !extents.containsKey(dim.name()) && result.dims().stream()
                .anyMatch(of -> of.isOf(dim))).findFirst().ifPresent(dim -> {
                    throw new BadRequestException("no --input has dimension '" + dim + "' of '" + result.name()
                            + "': say it, with --extents " + dim + "=N");
                });
        List<Long> shape = kernel.shape(result, extents);
        try (NpyWriter writer = NpyWriter.create(output, array(result).type(), shape); Arena arena = Arena.ofShared()) {
            launch(gpu, result, shape, writer.data());
            Optional<String> complaint = Optional.empty();
            if (check) {
                MemorySegment other = arena.allocate(Math.max(1, writer.data().byteSize())).asSlice(0,
                        writer.data().byteSize());
                checkBy(gpu, result, shape, other);
                complaint = Difference.between(other, writer.data()).map(d -> "the executor on the CPU and the program"
                        + " for a GPU differ: " + d.describe(array(result).type(), shape));
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
            terminal.json(new Report(name, array(result).type(), shape, device, check, complaint.orElse(null),
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
            throw new BadRequestException("run writes one array, and " + title + " writes " + names(written)
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
        given.forEach((tensor, array) -> {
            if (!tensor.equals(result.name())) {
                launch.set(tensor, array.data(), array.dimensions());
            } else {
                to.copyFrom(array.data());
            }
        });
        launch.set(result.name(), to, shape.stream().mapToLong(Long::longValue).toArray());
        scalars.forEach(launch::scalar);
        launch.run();
    }
}

package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyReader;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launchable;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a tile kernel reads, of files, and its scalars. */
final class TileInputs {
    private final String option;
    private final String title;
    private final TileKernel kernel;
    private final Map<String, Long> extents;
    private final Map<String, Npy> given = new LinkedHashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();

    /**
     * Of a verb.
     *
     * @param option that names the files @param title of the kernel in messages
     * @param extents of dimensions, as far as no input gives them
     */
    TileInputs(String option, String title, TileKernel kernel, Map<String, Long> extents) {
        this.option = option;
        this.title = title;
        this.kernel = kernel;
        this.extents = new HashMap<>(extents);
    }

    /** The files' arrays, by tensor. */
    Map<String, Npy> given() {
        return given;
    }

    Map<String, Number> scalars() {
        return scalars;
    }

    /** A tensor's extents. @throws BadRequestException if nothing says one of them */
    List<Long> shape(Tensor tensor) {
        kernel.dims().stream().filter(dim -> !extents.containsKey(dim.name()) && tensor.dims().stream()
                .anyMatch(of -> of.isOf(dim))).findFirst().ifPresent(dim -> {
                    throw new BadRequestException("no " + option + " has dimension '" + dim + "' of '" + tensor.name()
                            + "': say it, with --extents " + dim + "=N");
                });
        return kernel.shape(tensor, extents);
    }

    /** Reads {@code NAME=FILE} each, or one file where one tensor is read. */
    void read(List<Path> inputs, NamedFiles files, Arena arena) {
        List<Tensor> wanted = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.OUT).toList();
        for (Path input : inputs) {
            String text = input.toString();
            int equals = text.indexOf('=');
            if (equals < 0 && wanted.size() != 1) {
                throw new BadRequestException(title + " reads " + names(wanted) + ": say which " + option + " "
                        + text + " is, such as " + option + " "
                        + wanted.stream().map(Tensor::name).findFirst().orElse("a")
                        + "=" + text);
            }
            String tensor = equals < 0 ? wanted.getFirst().name() : text.substring(0, equals);
            Path file = file(input);
            files.reading(option, file);
            take(wanted.stream().filter(t -> t.name().equals(tensor)).findFirst().orElseThrow(() ->
                    new BadRequestException(title + " reads " + names(wanted) + ", and no '" + tensor
                            + "'")), file, NpyReader.open(file, arena));
        }
        files.requireApart();
        wanted.stream().filter(t -> !given.containsKey(t.name())).findFirst().ifPresent(t -> {
            throw new BadRequestException(title + " reads " + names(wanted) + ": name the file of '"
                    + t.name() + "' with " + option + " " + t.name() + "=X.npy");
        });
    }

    /** The file of {@code NAME=FILE}, or of {@code FILE}. */
    static Path file(Path input) {
        return Path.of(input.toString().substring(input.toString().indexOf('=') + 1));
    }

    static String names(List<Tensor> tensors) {
        return String.join(", ", tensors.stream().map(Tensor::name).toList());
    }

    /** An array that the kernel has written. */
    Npy output(Tensor tensor, Path file, Arena arena) {
        Npy array = NpyReader.open(file, arena);
        require("--output", tensor, file, array);
        return array;
    }

    private void take(Tensor tensor, Path file, Npy array) {
        require(option, tensor, file, array);
        given.put(tensor.name(), array);
    }

    private void require(String named, Tensor tensor, Path file, Npy array) {
        ElementType type = array(tensor).type();
        if (array.type().bytes() != type.bytes()
                || array.type() != type && (array.type().isFloat() || !tensor.type().isFloat())) {
            throw new BadRequestException(named + " " + tensor.name() + " has elements of " + tensor.type() + ", and "
                    + file + " holds " + array.type());
        }
        if (array.shape().size() != tensor.dims().size()) {
            throw new BadRequestException(named + " " + tensor.name() + " has " + tensor.dims().size()
                    + " dimensions, " + tensor.dims() + ", and " + file + " holds " + Units.shape(array.shape()));
        }
        for (int i = 0; i < tensor.dims().size(); i++) {
            if (kernel.dims().contains(tensor.dims().get(i))) {
                extents.putIfAbsent(tensor.dims().get(i).name(), array.shape().get(i));
            }
        }
    }

    Launchable.Array array(Tensor tensor) {
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
                String number = text.substring(equals + 1);
                scalars.put(scalar, number.matches("[+-]?\\d+") ? (Number) Long.valueOf(number)
                        : Double.valueOf(number));
            } catch (NumberFormatException e) {
                throw new BadRequestException("--scalar " + text + " is no number", e);
            }
        }
    }
}

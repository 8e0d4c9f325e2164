package dev.tilewright.verify.audit;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.Difference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Holds rows of a kernel's output against what the executor of the language computes of the inputs, with the products
 * of the targets that have a signature. A row is all that has one number along the output's first dimension.
 */
public final class Audit {
    /** An array: dense, row-major. */
    public record Given(MemorySegment memory, List<Long> shape) {
        public Given {
            shape = List.copyOf(shape);
        }
    }

    /** A row. @param difference where it is not what it should be; nothing where every byte agrees */
    public record Row(long number, Optional<Difference> difference) { }

    private static final long ALIGNMENT = 256;

    private final TileKernel kernel;
    private final MatrixArithmetic arithmetic;

    private Audit(TileKernel kernel, MatrixArithmetic arithmetic) {
        this.kernel = kernel;
        this.arithmetic = arithmetic;
    }

    /**
     * An audit of the output of a kernel that has this signature.
     *
     * @param hash of the signature: 64 hexadecimal digits
     * @throws BadRequestException if the kernel has another signature on every target; the message lists them
     */
    public static Audit of(TileKernel kernel, String hash) {
        Map<String, Target> signatures = new LinkedHashMap<>();
        Target.KNOWN.forEach(target -> hash(kernel, target).ifPresent(is -> signatures.putIfAbsent(is, target)));
        Target target = signatures.get(hash);
        if (target == null) {
            throw new BadRequestException("signature " + hash + " is another's: kernel '" + kernel.name() + "' has "
                    + signatures.entrySet().stream().map(e -> e.getKey() + " on " + e.getValue()
                            + (signatures.size() == 1 ? "" : " and those like it")).collect(Collectors.joining(", "))
                    + ", and other signatures have other bits");
        }
        return new Audit(kernel, kernel.arithmetic(target));
    }

    /** Whether a kernel has this signature on some target. */
    public static boolean hasSignature(TileKernel kernel, String hash) {
        return Target.KNOWN.stream().anyMatch(target -> hash(kernel, target).equals(Optional.of(hash)));
    }

    /** The hash of its signature; nothing where the target lacks the kernel's products. */
    private static Optional<String> hash(TileKernel kernel, Target target) {
        try {
            return Optional.of(kernel.signature(target).hash());
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** The tensor that is audited. @param name empty for the one that the kernel writes, if there is one alone */
    public Tensor output(String name) {
        List<Tensor> written = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN)
                .filter(t -> name.isEmpty() || t.name().equals(name)).toList();
        if (written.size() != 1) {
            throw new BadRequestException("kernel '" + kernel.name() + "' writes " + kernel.tensors().stream()
                    .filter(t -> t.role() != Tensor.Role.IN).map(Tensor::name).collect(Collectors.joining(", "))
                    + (name.isEmpty() ? ": say which the output is" : ", and no '" + name + "'"));
        }
        return written.getFirst();
    }

    /**
     * Computes rows again and compares every byte.
     *
     * @param inputs every tensor that is read, by name; for an updated tensor, its contents before
     * @param found what the kernel left in the output
     * @param rows numbers along its first dimension; none for all
     * @throws BadRequestException if there is no such row
     * @throws IllegalArgumentException if the arrays are not as the kernel needs them
     */
    public List<Row> rows(Map<String, Given> inputs, Map<String, Number> scalars, Tensor output, Given found,
            long... rows) {
        Map<String, Long> extents = new HashMap<>();
        kernel.tensors().forEach(tensor -> Optional.ofNullable(inputs.get(tensor.name())).or(() ->
                tensor.name().equals(output.name()) ? Optional.of(found) : Optional.empty())
                .ifPresent(given -> take(tensor, given.shape(), extents)));
        long count = found.shape().isEmpty() ? 0 : found.shape().getFirst();
        for (long row : rows) {
            if (row < 0 || row >= count) {
                throw new BadRequestException("row " + row + " is not there: '" + output.name() + "' has " + count
                        + " rows, from 0 on");
            }
        }
        long[] chosen = rows.length == 0 ? LongStream.range(0, count).toArray() : rows;
        try (Arena arena = Arena.ofShared()) {
            CpuLaunch launch = kernel.onCpu().arithmetic(arithmetic);
            MemorySegment again = null;
            for (Tensor tensor : kernel.tensors()) {
                boolean audited = tensor.name().equals(output.name());
                List<Long> shape = audited ? found.shape() : inputs.containsKey(tensor.name())
                        ? inputs.get(tensor.name()).shape() : kernel.shape(tensor, extents);
                MemorySegment memory = tensor.role() == Tensor.Role.IN ? inputs.get(tensor.name()).memory()
                        : written(tensor, shape, inputs, arena);
                launch.set(tensor.name(), memory, ArrayShape.dense(shape));
                again = audited ? memory : again;
            }
            scalars.forEach(launch::scalar);
            launch.rows(output.name(), chosen).run();
            return compare(again, found.memory(), count, chosen);
        }
    }

    private void take(Tensor tensor, List<Long> shape, Map<String, Long> extents) {
        for (int i = 0; i < Math.min(shape.size(), tensor.dims().size()); i++) {
            Dim dim = tensor.dims().get(i);
            if (kernel.dims().contains(dim)) {
                extents.putIfAbsent(dim.name(), shape.get(i));
            }
        }
    }

    private static MemorySegment written(Tensor tensor, List<Long> shape, Map<String, Given> inputs, Arena arena) {
        long bytes = shape.stream().reduce((long) tensor.type().bytes(), Math::multiplyExact);
        MemorySegment memory = arena.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
        return inputs.containsKey(tensor.name()) ? memory.copyFrom(inputs.get(tensor.name()).memory()) : memory;
    }

    private static List<Row> compare(MemorySegment again, MemorySegment found, long count, long... rows) {
        long each = count == 0 ? 0 : found.byteSize() / count;
        return Arrays.stream(rows).mapToObj(row -> new Row(row, Difference.between(again.asSlice(row * each, each),
                found.asSlice(row * each, each)).map(d -> new Difference(d.bytes(), d.first() + row * each,
                        d.expected(), d.actual())))).toList();
    }

    /** A line for a row that disagrees. */
    public static String line(Row row, ElementType type, List<Long> shape) {
        return "row " + row.number() + ": " + row.difference().map(d -> d.describe(type, shape))
                .orElse("every byte agrees");
    }

    /** {@code audited 3 rows agreed 2 disagreed 1}. */
    public static String summary(List<Row> rows) {
        long agreed = rows.stream().filter(row -> row.difference().isEmpty()).count();
        return "audited " + rows.size() + " rows agreed " + agreed + " disagreed " + (rows.size() - agreed);
    }
}

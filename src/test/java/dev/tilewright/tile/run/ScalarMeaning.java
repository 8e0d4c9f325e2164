package dev.tilewright.tile.run;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/**
 * What a tile kernel means, element by element, in words: one tile after the other, nothing shared with the executor
 * but what single operations mean. Tensors are row-major arrays of words. Slow.
 */
final class ScalarMeaning {
    private final TileKernel kernel;
    private final Map<String, long[]> tensors;
    private final Map<String, long[]> before = new HashMap<>();
    private final Map<String, long[]> extents;
    private final Map<String, Long> scalars;
    private final Map<String, Long> dims = new HashMap<>();
    private final Map<Integer, Long> variables = new HashMap<>();
    private final Map<Tile, long[]> values = new HashMap<>();
    private final List<Runnable> scatters = new ArrayList<>();

    ScalarMeaning(TileKernel kernel, Map<String, long[]> tensors, Map<String, long[]> extents,
            Map<String, Long> scalars) {
        this.kernel = kernel;
        this.tensors = tensors;
        this.extents = extents;
        this.scalars = scalars;
        for (Tensor tensor : kernel.tensors()) {
            for (int i = 0; i < tensor.dims().size(); i++) {
                dims.put(tensor.dims().get(i).name(), extents.get(tensor.name())[i]);
            }
            before.put(tensor.name(), tensors.get(tensor.name()).clone());
        }
    }

    void run() {
        tiles(kernel.grid(), 0);
        scatters.forEach(Runnable::run);
    }

    private void tiles(Grid grid, int axis) {
        if (axis == grid.steps().size()) {
            region(grid.body());
            return;
        }
        long count = number(grid.steps().get(axis).count());
        for (long i = 0; i < count; i++) {
            variables.put(grid.numbers().get(axis).number(), i);
            tiles(grid, axis + 1);
        }
    }

    private void region(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> values.put(tile, tile(tile));
                case Region.Store store -> store(store);
                case Region.When when -> {
                    if (number(when.condition()) != 0) {
                        region(when.then());
                    }
                }
                case TileNode.Loop loop -> loop(loop);
            }
        }
    }

    private void loop(TileNode.Loop loop) {
        long turns = number(loop.turns());
        long each = (turns + loop.parts() - 1) / loop.parts();
        long[][] total = new long[loop.carried().size()][];
        for (int part = 0; part < loop.parts(); part++) {
            for (int i = 0; i < total.length; i++) {
                values.put(loop.carried().get(i), values.get(loop.initial().get(i)));
            }
            for (long turn = part * each; turn < (part + 1) * each && turn < turns; turn++) {
                variables.put(loop.turn().number(), turn);
                region(loop.body());
                List<long[]> next = loop.next().stream().map(values::get).toList();
                for (int i = 0; i < total.length; i++) {
                    values.put(loop.carried().get(i), next.get(i));
                }
            }
            for (int i = 0; i < total.length; i++) {
                long[] left = values.get(loop.carried().get(i));
                if (part == 0) {
                    total[i] = left.clone();
                } else {
                    LongBinaryOperator add = ValueMath.binary(BinaryOp.ADD, loop.carried().get(i).type());
                    for (int k = 0; k < left.length; k++) {
                        total[i][k] = add.applyAsLong(total[i][k], left[k]);
                    }
                }
            }
        }
        for (int i = 0; i < total.length; i++) {
            values.put(loop.carried().get(i), total[i]);
        }
    }

    // ---- tiles, an element at a time

    private int[] shape(List<Dim> shape) {
        return shape.stream().mapToInt(dim -> (int) number(dim.value())).toArray();
    }

    private static int count(int[] shape) {
        return Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    }

    private static int[] at(int[] shape, int element) {
        int[] at = new int[shape.length];
        for (int i = shape.length - 1; i >= 0; i--) {
            at[i] = element % shape[i];
            element /= shape[i];
        }
        return at;
    }

    private static int element(int[] shape, int[] at) {
        int element = 0;
        for (int i = 0; i < shape.length; i++) {
            element = element * shape[i] + at[i];
        }
        return element;
    }

    /** The element of a tile that goes with a place of a larger shape. */
    private long of(Tile tile, int[] at) {
        int[] shape = shape(tile.shape());
        int[] own = new int[shape.length];
        for (int i = 0; i < shape.length; i++) {
            own[i] = shape[i] == 1 ? 0 : at[at.length - shape.length + i];
        }
        return values.get(tile)[element(shape, own)];
    }

    private long[] tile(Tile tile) {
        int[] shape = shape(tile.shape());
        if (tile.node() instanceof TileNode.Product(Tile c, Tile a, Tile b)) {
            return product(c, a, b);
        }
        if (tile.node() instanceof TileNode.Result(TileNode.Loop loop, int number)) {
            return values.get(loop.carried().get(number));
        }
        if (tile.node() instanceof TileNode.Reshape(Tile of)) {
            return values.get(of);
        }
        long[] words = new long[count(shape)];
        for (int k = 0; k < words.length; k++) {
            words[k] = element(tile, at(shape, k));
        }
        return words;
    }

    private long element(Tile tile, int[] at) {
        return switch (tile.node()) {
            case TileNode.Full(Value value) -> value(value, Map.of());
            case TileNode.Iota(Span span) -> number(span.start()) + (long) at[0] * span.step();
            case TileNode.Load load -> {
                int place = place(load.tensor(), load.axes(), at);
                yield place < 0 ? load.outside().word() : before.get(load.tensor().name())[place];
            }
            case TileNode.Map map -> {
                Map<Register, Long> elements = new HashMap<>();
                for (int i = 0; i < map.inputs().size(); i++) {
                    elements.put(map.parameters().get(i), of(map.inputs().get(i), at));
                }
                yield value(map.value(), elements);
            }
            case TileNode.Reduce(Tile of, int axis, var reduction) -> oneNan(of.type(), reduced(along(of, axis, at),
                    ValueMath.binary(reduction.op(), of.type())));
            case TileNode.Extreme(Tile of, int axis, boolean greatest) -> extreme(along(of, axis, at), of.type(),
                    greatest);
            case TileNode.Scan(Tile of, int axis, var reduction) -> oneNan(of.type(), scanned(along(of, axis, at),
                    ValueMath.binary(reduction.op(), of.type()))[at[axis]]);
            case TileNode.Transpose(Tile of, List<Integer> order) -> {
                int[] from = new int[at.length];
                for (int i = 0; i < at.length; i++) {
                    from[order.get(i)] = at[i];
                }
                yield of(of, from);
            }
            case TileNode.Broadcast(Tile of) -> of(of, at);
            case TileNode.LookUp(Tile table, Tile numbers) -> {
                long number = numbers.type() == ValueType.I32 ? (int) of(numbers, at) : of(numbers, at);
                long[] words = values.get(table);
                yield number < 0 || number >= words.length ? 0 : words[(int) number];
            }
            case TileNode.Slice(Tile of, int axis, long first, Value.Const outside) -> {
                int[] from = at.clone();
                from[axis] += (int) first;
                yield from[axis] < 0 || from[axis] >= shape(of.shape())[axis] ? outside.word()
                        : values.get(of)[element(shape(of.shape()), from)];
            }
            default -> throw new AssertionError(tile);
        };
    }

    private long[] along(Tile of, int axis, int[] at) {
        int[] shape = shape(of.shape());
        int[] from = at.clone();
        long[] words = new long[shape[axis]];
        for (int i = 0; i < words.length; i++) {
            from[axis] = i;
            words[i] = values.get(of)[element(shape, from)];
        }
        return words;
    }

    /** A NaN as arithmetic gives it; any other word as it is. */
    private static long oneNan(ValueType type, long word) {
        return type.isFloat() && ValueMath.compare(Comparison.NE, type).test(word, word)
                ? ValueMath.binary(BinaryOp.ADD, type).applyAsLong(word, word) : word;
    }

    private static long reduced(long[] words, LongBinaryOperator op) {
        Long[] sums = new Long[1024];
        for (int i = 0; i < words.length; i++) {
            sums[i % 1024] = sums[i % 1024] == null ? words[i] : op.applyAsLong(sums[i % 1024], words[i]);
        }
        for (int h = 512; h >= 1; h /= 2) {
            for (int j = 0; j < h; j++) {
                if (sums[j + h] != null) {
                    sums[j] = op.applyAsLong(sums[j], sums[j + h]);
                }
            }
        }
        return sums[0];
    }

    private static long[] scanned(long[] words, LongBinaryOperator op) {
        long[] result = words.clone();
        for (int first = 0; first < words.length; first += 1024) {
            int end = Math.min(words.length, first + 1024);
            for (int h = 1; h < 1024; h *= 2) {
                long[] was = result.clone();
                for (int i = first + h; i < end; i++) {
                    result[i] = op.applyAsLong(was[i - h], was[i]);
                }
            }
            for (int i = first; i < end && first > 0; i++) {
                result[i] = op.applyAsLong(result[first - 1], result[i]);
            }
        }
        return result;
    }

    private static long extreme(long[] words, ValueType type, boolean greatest) {
        var better = ValueMath.compare(greatest ? Comparison.GT : Comparison.LT, type);
        var equal = ValueMath.compare(Comparison.EQ, type);
        for (int i = 0; i < words.length; i++) {
            boolean best = equal.test(words[i], words[i]);
            for (long other : words) {
                best &= !better.test(other, words[i]);
            }
            if (best) {
                return i;
            }
        }
        return 0;
    }

    private long[] product(Tile c, Tile a, Tile b) {
        int m = shape(a.shape())[0];
        int k = shape(a.shape())[1];
        int n = shape(b.shape())[1];
        long[] out = values.get(c).clone();
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                if (a.type() == ValueType.F32) {
                    for (int l = 0; l < k; l++) {
                        out[i * n + j] = ValueMath.fma(ValueType.F32).applyAsLong(values.get(a)[i * k + l],
                                values.get(b)[l * n + j], out[i * n + j]);
                    }
                    continue;
                }
                int depth = a.type() == ValueType.F64 ? 4 : 32 / a.type().bytes();
                TensorProduct product = a.type() == ValueType.F64
                        || kernel.arithmetic(Target.SM_90A) == MatrixArithmetic.HOPPER_MMA_SYNC
                        ? TensorProduct.mma(a.type(), b.type(), c.type(), false, TensorCore.HOPPER)
                        : TensorProduct.wgmma(a.type(), b.type(), c.type(), false);
                for (int l = 0; l < k; l += depth) {
                    long[] x = new long[depth];
                    long[] y = new long[depth];
                    for (int d = 0; d < depth && l + d < k; d++) {
                        x[d] = values.get(a)[i * k + l + d];
                        y[d] = values.get(b)[(l + d) * n + j];
                    }
                    long[] sum = {out[i * n + j]};
                    product.multiplyAdd(x, y, sum, 1, 1, depth);
                    out[i * n + j] = c.type().word(sum[0]);
                }
            }
        }
        return out;
    }

    // ---- memory

    /** Which element of a tensor an element of a tile is, or -1. */
    private int place(Tensor tensor, List<Axis> axes, int[] at) {
        long[] extent = extents.get(tensor.name());
        int[] shape = Arrays.stream(extent).mapToInt(e -> (int) e).toArray();
        int[] coordinates = new int[extent.length];
        int dimension = 0;
        int own = 0;
        for (Axis axis : axes) {
            int i = axis.single() ? 0 : at[own++];
            switch (axis) {
                case Span span -> {
                    long place = number(span.start()) + (long) i * span.step();
                    long end = extent[dimension] - 1;
                    coordinates[dimension++] = (int) (!span.clamped() ? place : place > end ? end : Math.max(place, 0));
                }
                case Axis.Rows(Tile numbers) -> coordinates[dimension++] = (int) values.get(numbers)[i];
                case Axis.Patches patches -> {
                    int[] met = met(patches, extent, number(patches.pixels().start()) + (long) i
                            * patches.pixels().step());
                    System.arraycopy(met, 0, coordinates, dimension, met.length);
                    dimension += met.length;
                }
            }
        }
        for (int i = 0; i < shape.length; i++) {
            if (coordinates[i] < 0 || coordinates[i] >= shape[i]) {
                return -1;
            }
        }
        return element(shape, coordinates);
    }

    /** The image, and the place in it, that a filter's element meets at an output: that of a number outside is -1. */
    private int[] met(Axis.Patches patches, long[] extent, long output) {
        Convolution c = patches.convolution();
        int rank = c.filter().size();
        int[] at = new int[1 + rank];
        long rest = output;
        for (int d = rank - 1; d >= 0; d--) {
            long outputs = c.outputs(d, extent[1 + d]);
            if (outputs == 0 || output < 0) {
                Arrays.fill(at, -1);
                return at;
            }
            at[1 + d] = (int) (rest % outputs * c.stride().get(d) + number(patches.filter().get(d))
                    * c.dilation().get(d) - c.padding().get(d));
            rest /= outputs;
        }
        at[0] = (int) rest;
        return at;
    }

    private void store(Region.Store store) {
        int[] shape = shape(store.tile().shape());
        long[] words = values.get(store.tile());
        long[] memory = tensors.get(store.tensor().name());
        boolean rows = store.axes().getFirst() instanceof Axis.Rows;
        for (int k = 0; k < words.length; k++) {
            int place = place(store.tensor(), store.axes(), at(shape, k));
            long word = words[k];
            if (place >= 0) {
                Runnable update = () -> memory[place] = store.update().op().map(op -> ValueMath.binary(op,
                        store.tensor().type()).applyAsLong(memory[place], word)).orElse(word);
                if (rows) {
                    scatters.add(update);
                } else {
                    update.run();
                }
            }
        }
    }

    // ---- numbers

    private long number(Expr e) {
        return switch (e) {
            case Expr.Const(long value, var _) -> value;
            case Expr.Var v -> variables.get(v.number());
            case Expr.ParamValue p -> dims.get(p.parameter().name());
            case Expr.Convert c -> number(c.value());
            case Expr.Compare c -> switch (c.relation()) {
                case EQ -> number(c.left()) == number(c.right());
                case NE -> number(c.left()) != number(c.right());
                case LT -> number(c.left()) < number(c.right());
                case GE -> number(c.left()) >= number(c.right());
                case GT -> number(c.left()) > number(c.right());
                case LE -> number(c.left()) <= number(c.right());
            } ? 1 : 0;
            case Expr.Binary b -> switch (b.op()) {
                case ADD -> number(b.left()) + number(b.right());
                case SUB -> number(b.left()) - number(b.right());
                case MUL -> number(b.left()) * number(b.right());
                case DIV -> number(b.left()) / number(b.right());
                case REM -> number(b.left()) % number(b.right());
                default -> throw new AssertionError(b);
            };
            default -> throw new AssertionError(e);
        };
    }

    private long value(Value value, Map<Register, Long> elements) {
        return switch (value) {
            case Value.Const c -> c.word();
            case Value.Index(Expr e) -> number(e);
            case Value.Scalar s -> scalars.get(s.parameter().name());
            case Value.Element(Register register, Expr _) -> elements.get(register);
            case Value.Compound v -> v.word(v.parts().stream().mapToLong(part -> value(part, elements)).toArray());
            case Value.Call v -> call(v.function(), v.arguments().stream().map(a -> value(a, elements)).toList());
            case Value.Approximate v -> throw new AssertionError(v);
        };
    }

    private long call(ValueFunction function, List<Long> arguments) {
        Map<Register, Long> known = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            known.put(function.parameters().get(i), arguments.get(i));
        }
        function.lets().forEach(let -> known.put(let.register(), value(let.value(), known)));
        return value(function.result(), known);
    }
}

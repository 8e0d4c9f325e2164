package dev.tilewright.tile.lower;

import dev.tilewright.builder.TileOption;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Vectors;
import dev.tilewright.tile.lower.packed.PackedPattern;
import dev.tilewright.tile.lower.ring.RingPattern;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The ways of lowering that a kernel may take on a target: whether it suits one, or why not. */
public final class Paths {
    private Paths() { }

    /**
     * Holds a kernel's products to a target.
     *
     * @throws IllegalArgumentException if no instruction of the target gives their bits
     */
    public static void requireProducts(TileKernel kernel, Target target) {
        MatrixArithmetic whose = kernel.arithmetic(target);
        kernel.grid().body().tiles().forEach(tile -> {
            if (!(tile.node() instanceof TileNode.Product(Tile _, Tile a, Tile _)) || a.type() == ValueType.F32
                    || a.type() == ValueType.F64 || a.type().isInteger()) {
                return;
            }
            if (a.type().bits() == Byte.SIZE && !target.supports(Target.SM_89)) {
                throw new LineException("kernel '" + kernel.name() + "' has products " + tile + " of "
                        + a.type() + ", which need " + Target.SM_89 + " or later, got " + target
                        + ": run it on the CPU there", tile.line());
            }
            if ((whose == MatrixArithmetic.AMPERE) != (MatrixArithmetic.of(target) == MatrixArithmetic.AMPERE)) {
                throw new LineException("kernel '" + kernel.name() + "' has products " + tile + " of "
                        + whose + ", and the bits of " + target + " are others: name no arithmetic, or run it on the "
                        + "CPU", tile.line());
            }
            if (Multiplier.byWarpgroups(a.type(), whose) && !target.supports(Target.SM_90A)) {
                throw new LineException("kernel '" + kernel.name() + "' has products " + tile + " of "
                        + a.type() + " with the bits of wgmma, which " + Target.SM_90A + " alone has, got " + target
                        + ": name the other products, with arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC), or run it on "
                        + "the CPU", tile.line());
            }
        });
    }

    /** Whether tensor cores read what the copy engine brings, or why not. */
    static ProductPattern.Match match(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned,
            Choices choices, Target target) {
        if (choices.has(TileOption.THREADS)) {
            return ProductPattern.none("the schedule sets the number of threads, which all do the same work");
        }
        if (kernel.grid().body().tiles().noneMatch(tile -> tile.node() instanceof TileNode.Product)) {
            return ProductPattern.none("no loop adds up matrix products");
        }
        if (!Gates.WGMMA.admits(target)) {
            return ProductPattern.none(target + " has no wgmma, whose factors the copy engine brings; " + Target.SM_90A
                    + " alone has it");
        }
        if (!new TileOrder(kernel).isFree()) {
            return ProductPattern.none("tiles depend on their order");
        }
        if (choices.has(TileOption.AHEAD) && kernel.grid().body().tiles().anyMatch(tile -> tile.node()
                instanceof TileNode.Product(Tile _, Tile a, Tile _) && ProductPattern.byThreads(a.type()))) {
            return ProductPattern.none("threads that multiply f32 or f64 finish a stage before the next one");
        }
        Indexes indexes = new Indexes(Map.of(), known);
        ProductPattern.Match match = ProductPattern.of(kernel, tile -> TileSteps.extents(tile, indexes), aligned,
                kernel.arithmetic(target));
        if (choices.has(TileOption.GROUPS) && match.pattern().isPresent()) {
            match = match.pattern().get().withGroups(choices.get(TileOption.GROUPS).orElseThrow(), match.reason());
        }
        if (choices.has(TileOption.STEPS) && match.pattern().isPresent()) {
            match = match.pattern().get().withSteps(choices.get(TileOption.STEPS).orElseThrow(), match.reason());
        }
        if (choices.has(TileOption.ROWS) && match.pattern().isPresent()) {
            match = match.pattern().get().withRows(kernel, choices.get(TileOption.ROWS).orElseThrow(), match.reason());
        }
        return choices.cluster().isEmpty() || match.pattern().isEmpty() ? match
                : match.pattern().get().withCluster(kernel.grid(), choices.cluster().get(), match.reason());
    }

    /** Whether it is a loop of two products that groups of four warps compute, or why not. */
    static AttentionPattern.Match attention(TileKernel kernel, Map<String, Long> known,
            Predicate<Tensor> aligned, Choices choices, Target target) {
        if (choices.has(TileOption.THREADS) || !Gates.WGMMA.admits(target) || !new TileOrder(kernel).isFree()) {
            return new AttentionPattern.Match(Optional.empty(), "");
        }
        Indexes indexes = new Indexes(Map.of(), known);
        return AttentionPattern.of(kernel, tile -> TileSteps.extents(tile, indexes), aligned);
    }

    /** Whether it multiplies by numbers of 4 or 8 bits that threads take apart, or why not. */
    static PackedPattern.Match packed(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned,
            Choices choices, Target target) {
        if (choices.has(TileOption.THREADS) || kernel.arithmetic(target) == MatrixArithmetic.AMPERE
                || !new TileOrder(kernel).isFree()) {
            return new PackedPattern.Match(Optional.empty(), "");
        }
        Indexes indexes = new Indexes(Map.of(), known);
        PackedPattern.Match match = PackedPattern.of(kernel, tile -> TileSteps.extents(tile, indexes), aligned);
        return match.pattern().filter(pattern -> !pattern.hasFewRows()).isEmpty() || Gates.WGMMA.admits(target) ? match
                : new PackedPattern.Match(Optional.empty(), target + " has no registers to hand over");
    }

    /** Whether threads copy factors ahead of the products of a loop, or why not. */
    static RingPattern.Match ring(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned,
            Target target) {
        Indexes indexes = new Indexes(Map.of(), known);
        return RingPattern.of(kernel, new RingPattern.Given(tile -> TileSteps.extents(tile, indexes),
                new Vectors(aligned), kernel.arithmetic(target)));
    }

    /**
     * Whether rows of 16-bit floats are taken together of which 64 threads have 33 to 64 elements each: fewer warps
     * exchange what they have, which takes a part of the time (softmax of 4,096 bf16 on an H200: 2 %).
     */
    static boolean isOfHalves(TileKernel kernel, Map<String, Long> known) {
        Indexes indexes = new Indexes(Map.of(), known);
        List<Tile> tiles = kernel.grid().body().tiles().toList();
        boolean halves = tiles.stream().anyMatch(tile -> tile.node() instanceof TileNode.Reduce)
                && kernel.tensors().stream().allMatch(x -> x.type().isFloat() && x.type().bits() == Short.SIZE);
        long most = !halves ? 0 : tiles.stream().mapToLong(tile -> TileSteps.extents(tile, indexes).stream()
                .mapToLong(i -> i).reduce(1, Math::multiplyExact)).max().orElse(0);
        return most > 1 << 11 && most <= 1 << 12;
    }

    /** A product whose bits only groups of four warps give. */
    static Optional<Tile> byGroups(TileKernel kernel, Target target) {
        return kernel.grid().body().tiles().filter(tile -> tile.node() instanceof TileNode.Product(var _, Tile a, var _)
                && Multiplier.byWarpgroups(a.type(), kernel.arithmetic(target))).findFirst();
    }
}

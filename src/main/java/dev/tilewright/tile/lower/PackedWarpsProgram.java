package dev.tilewright.tile.lower;

import dev.tilewright.builder.TileOption;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.packed.PackedTurns;
import dev.tilewright.tile.lower.packed.PackedPattern;
import dev.tilewright.tile.lower.packed.PackedRows;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A program whose blocks take tiles of few rows of a {@link PackedPattern} one after the other. Warps copy both factors
 * into shared memory and multiply, some for each part of k, whose sums all threads add and store.
 */
final class PackedWarpsProgram extends RoleProgram {
    /** What every GPU has. */
    private static final int LEAST_SHARED = 48 * 1024;
    private static final int RESERVED = 512;
    /** What a multiprocessor keeps of its shared memory for each block. */
    private static final int OF_A_BLOCK = 1024;

    private final PackedPattern pattern;
    private final Set<String> goingAhead;
    private final PackedTurns product;
    private PackedTurns.Turns turns;
    private Expr number;
    private boolean looped;

    /**
     * @param scratchBytes of shared memory that exchanges take
     * @throws OutOfStagesException if there is no room for it
     */
    PackedWarpsProgram(TileKernel kernel, Map<String, Long> known, PackedPattern pattern, Predicate<Tensor> aligned,
            Choices choices, Target target, int scratchBytes) {
        super(kernel, known, aligned, choices);
        this.pattern = pattern;
        if (choices.get(TileOption.STAGES).orElse(PackedTurns.STAGES) != PackedTurns.STAGES) {
            throw new OutOfStagesException("its ring has " + PackedTurns.STAGES + " stages");
        }
        if (PackedTurns.bytes(pattern) + scratchBytes > sharedBytes(target)) {
            throw new OutOfStagesException(PackedTurns.bytes(pattern) + " bytes of factors and sums and " + scratchBytes
                    + " to exchange tiles through are more than the " + sharedBytes(target) + " bytes of shared "
                    + "memory that a block has: use smaller tiles");
        }
        this.goingAhead = choices.goingAhead(pattern.bytes().tensor());
        this.product = new PackedTurns(pattern);
    }

    private static int sharedBytes(Target target) {
        return target.sharedMemoryPerBlock().orElse(LEAST_SHARED) - RESERVED;
    }

    /** Blocks that run at once on a multiprocessor, but for what exchanges of tiles take: 0 where one has no room. */
    static int atOnce(PackedPattern pattern, Target target) {
        int room = sharedBytes(target) - PackedTurns.bytes(pattern);
        return room < 0 ? 0 : room < PackedTurns.bytes(pattern) + OF_A_BLOCK ? 1 : PackedTurns.AT_ONCE;
    }

    @Override
    Team team() {
        return Team.block(product.threads());
    }

    @Override
    int threads() {
        return product.threads();
    }

    @Override
    Set<Tensor> direct() {
        Set<Tensor> direct = new HashSet<>(steps.direct());
        direct.addAll(List.of(pattern.a().tensor(), pattern.bytes().tensor(), pattern.scales().tensor()));
        return direct;
    }

    @Override
    List<SharedRegion> regions() {
        return product.regions();
    }

    @Override
    void write(Body body, Exchange exchange, MatrixArithmetic whose) {
        steps(exchange, whose);
        launchDependents(body);
        Indexes outside = new Indexes(Map.of(), known);
        List<Expr> counts = counts(body, outside, ProductCluster.NONE);
        Expr all = body.let("turns", outside.of(pattern.loop().turns()).as(IntType.S32));
        turns = new PackedTurns.Turns(all, PackedProgram.ofPart(body, pattern, all));
        PackedProgram.forEachTile(kernel, body, counts, steps.indexes(), (tile, of) -> {
            number = of;
            steps.region(tile, kernel.grid().body());
        });
    }

    @Override
    public Optional<Layout> layout(List<Integer> extents) {
        return layout(PackedProgram.layout(pattern, team()), pattern.sums(), extents);
    }

    /** What is touched in front of the loop is not touched ahead of the wait that is in it. */
    @Override
    public void before(Body body, Region.Item item) {
        boolean touches = !(item instanceof Tile tile) || tile.node() instanceof TileNode.Load;
        if (touches && !looped && item != pattern.loop()) {
            waitForPriorGrid(body);
        }
    }

    /** The sums are in registers of what is carried into the loop, which nothing else uses. */
    @Override
    public Optional<List<Held>> loop(Body body, TileNode.Loop loop, Supplier<List<Held>> initial) {
        if (loop != pattern.loop()) {
            return Optional.empty();
        }
        looped = true;
        Held sums = steps.as(body, initial.get().getFirst(), PackedProgram.layout(pattern, team()));
        product.multiply(body, turns, new PackedTurns.Sources(rows(pattern.a()), rows(pattern.bytes()),
                rows(pattern.scales())), team(), sums, early ? Optional.of(new PackedTurns.Ahead(
                number.isEqualTo(0), !goingAhead.isEmpty())) : Optional.empty());
        return Optional.of(List.of(sums));
    }

    private PackedRows rows(TileNode.Load load) {
        Tensor tensor = load.tensor();
        Indexes indexes = steps.indexes();
        return new PackedRows(Lowered.pointer(tensor), tensor.type(), indexes.of(((Span) load.axes().getFirst())
                .start()), indexes.of(tensor.dims().getFirst().value()), indexes.of(tensor.dims().getLast().value()),
                Lowered.stride(tensor, 0).value());
    }

    /** What was chosen, and why. */
    List<Decision> decisions() {
        return PackedProgram.decisions(kernel, pattern, "cp.async of 16 bytes a thread into shared memory",
                "copies fill in elements outside the tensor", new Decision(Decision.Pass.PIPELINE,
                "kernel " + kernel.name(), "each warp copies what it multiplies, the left factor through "
                + PackedTurns.STAGES + " stages; " + pattern.warps() + " warps, " + PackedProgram.ofParts(pattern),
                "none waits for another"), "");
    }
}

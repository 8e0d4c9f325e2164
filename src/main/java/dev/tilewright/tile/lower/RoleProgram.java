package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.RegisterShare;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.commons.lang3.StringUtils;

/** A program whose blocks take tiles of a product one after the other, and whose warps have parts of their own. */
abstract class RoleProgram implements Mechanisms {
    /** Of a dimension's name in that of a variable. */
    private static final int LETTERS = 32;

    final TileKernel kernel;
    final Map<String, Long> known;
    final Predicate<Tensor> aligned;
    final boolean early;
    final ProgramMaps maps = new ProgramMaps();
    /** There is none before steps are written. */
    TileSteps steps;

    RoleProgram(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned, Choices choices) {
        this.kernel = kernel;
        this.known = known;
        this.aligned = aligned;
        this.early = choices.isEarly();
    }

    /** Threads that compute a tile. */
    abstract Team team();

    abstract int threads();

    /** Whether warps that compute need more registers than each of all has, and those that load give some. */
    boolean handsOverRegisters() {
        return false;
    }

    /** Threads that load: one warp; four where they give registers, which groups of four warps alone do. */
    final int loaders() {
        return handsOverRegisters() ? Team.GROUP : Warp.LANES;
    }

    /** Tensors that threads read and write themselves. */
    abstract Set<Tensor> direct();

    abstract List<SharedRegion> regions();

    /** @param whose products of matrices beside its own */
    abstract void write(Body body, Exchange exchange, MatrixArithmetic whose);

    final void steps(Exchange exchange, MatrixArithmetic whose) {
        steps = new TileSteps(kernel, known, whose, exchange, new Vectors(aligned), this);
    }

    final void launchDependents(Body body) {
        if (early) {
            body.purpose("the next launch may begin").launchDependents();
        }
    }

    final void waitForPriorGrid(Body body) {
        if (early) {
            body.purpose("wait for what the previous launch writes").waitForPriorGrid();
        }
    }

    /** How many tiles there are along each of the grid's dimensions; of a cluster's, what it takes at once is one. */
    final List<Expr> counts(Body body, Indexes outside, ProductCluster cluster) {
        List<Steps> grid = kernel.grid().steps();
        List<Expr> counts = new ArrayList<>();
        for (Steps s : grid) {
            counts.add(body.let("tiles_" + StringUtils.left(s.dim().name().replaceAll("\\W+", "_"), LETTERS),
                    cluster.count(outside.of(s.count()).as(IntType.S32), grid.size() - 1 - counts.size())));
        }
        return counts;
    }

    /** Some warps compute, and one thread of the others starts all copies. */
    final void roles(Body body, Consumer<Body> compute, Consumer<Body> load) {
        int computing = team().threads();
        body.purpose("these warps compute, the others load").when(ThreadRange.first(computing).contains(), warps -> {
            if (handsOverRegisters()) {
                RegisterShare.PRODUCT.take(warps);
            }
            waitForPriorGrid(warps);
            compute.accept(warps);
        }, warps -> {
            if (handsOverRegisters()) {
                RegisterShare.PRODUCT.giveBack(warps);
            }
            warps.purpose("one thread starts all copies").when(loader().isFirst(), load);
        });
    }

    final ThreadRange loader() {
        return new ThreadRange(team().threads(), loaders());
    }

    /** How tiles of a product's sums, or of one row or column of them, are held, where sums are held so. */
    static Optional<Layout> layout(Layout layout, List<Integer> sums, List<Integer> extents) {
        if (extents.equals(sums)) {
            return Optional.of(layout);
        }
        boolean row = extents.equals(List.of(1, sums.get(1)));
        boolean column = extents.equals(List.of(sums.get(0), 1));
        return row || column ? Optional.of(layout.without(row ? 0 : 1))
                : extents.equals(List.of(sums.get(1))) ? Optional.of(layout.without(0).dropped(0))
                : extents.equals(List.of(sums.get(0))) ? Optional.of(layout.without(1).dropped(1)) : Optional.empty();
    }
}

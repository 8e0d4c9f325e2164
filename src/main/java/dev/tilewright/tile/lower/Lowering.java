package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes a tile program in which a block computes one tile: its threads hold tiles in registers, and exchange what
 * another thread needs through shared memory.
 */
public final class Lowering {
    private final TileKernel kernel;
    private final Map<String, Long> known;
    private final Team team;

    private Lowering(TileKernel kernel, Map<String, Long> known, int threads) {
        this.kernel = kernel;
        this.known = known;
        this.team = Team.block(threads);
    }

    /**
     * The program for a target: with as many threads as a schedule says, else with the fewest that hold the tiles.
     *
     * @param known extents by name; those of tiles must be among them, such as the width of whole rows
     * @throws IllegalArgumentException if the target cannot run it, or no number of threads holds its tiles
     */
    public static Lowered of(TileKernel kernel, Map<String, Long> known, Choices choices, Target target) {
        TooLargeException last = null;
        for (int threads : choices.tries()) {
            try {
                Lowered lowered = of(kernel, known, threads);
                lowered.requireOn(target);
                return lowered;
            } catch (TooLargeException e) {
                last = e;
            }
        }
        throw new IllegalArgumentException("kernel '" + kernel.name() + "': " + last.getMessage(), last);
    }

    /**
     * The program.
     *
     * @param known extents by name; those of tiles must be among them, such as the width of whole rows
     * @param threads of a block: 32, 64, … 1024
     */
    public static Lowered of(TileKernel kernel, Map<String, Long> known, int threads) {
        return new Lowering(kernel, Map.copyOf(known), threads).lowered();
    }

    private Lowered lowered() {
        AtomicInteger scratchBytes = new AtomicInteger(16);
        write(scratchBytes);
        return new Lowered(kernel, write(scratchBytes), known);
    }

    /** @param scratchBytes shared memory that exchanges take; grows while the steps are written */
    private TileProgram write(AtomicInteger scratchBytes) {
        SharedRegion.Buffer scratch = new SharedRegion.Buffer("scratch", scratchBytes.get(), 16);
        List<SharedRegion> regions = new ArrayList<>(List.of(scratch));
        return new TileProgram(kernel.name(), "tile kernel " + kernel.name(), team.threads(),
                Lowered.parameters(kernel, known), new SharedLayout(regions),
                Body.steps(body -> new TileSteps(kernel, known, team,
                        new Exchange(scratch, scratchBytes, team)).grid(body)));
    }

    static Address.Shared place(SharedRegion.Buffer scratch, Expr element, ValueType type) {
        return scratch.at(element.times(type == ValueType.PRED ? 1 : type.bytes()));
    }
}

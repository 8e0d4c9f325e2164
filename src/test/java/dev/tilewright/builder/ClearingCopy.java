package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.copy.StBulk;
import java.util.List;
import java.util.Map;

/** A builder whose kernel begins with an instruction that only sm_100 and later have; it does nothing else. */
public final class ClearingCopy extends BuiltKernel {
    private static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>("clearing-copy", "st.bulk",
            Target.SM_100, Builder::new, List.of(Builder.TILE));
    /** The preset. */
    public static final Preset PRESET = new Preset("clearing", MECHANISM, "clears shared memory", Schedule.DEFAULT);

    private ClearingCopy(Builder b) {
        super(b);
    }

    @Override
    TileProgram describe() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 256, 16);
        return new TileProgram("clearing", "clears shared memory", threads, List.of(sources.getFirst(), result),
                new SharedLayout(List.of(buffer)), Body.steps(body -> body.purpose("clear")
                        .issue(new StBulk().withWeak(), Input.of(buffer.at(0)), Input.of(256L))));
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        return Shapes.tiles(List.of(Math.ceilDiv(elements, tile.getFirst())));
    }

    /** It has no choices but its tile. */
    public static final class Builder extends KernelBuilder<Builder> {
        static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 1, 1, 64));

        private Builder(ElementType type) {
            super(MECHANISM, type, 1);
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(1024);
        }

        @Override
        int defaultThreads() {
            return 32;
        }

        @Override
        public ClearingCopy build() {
            return new ClearingCopy(this);
        }
    }
}

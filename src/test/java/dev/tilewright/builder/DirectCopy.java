package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A builder that no part of the library knows of: threads move elements by ordinary loads and stores, and an option of
 * its own says how many each moves in a row. It is one file, as a builder of the library would be.
 */
public final class DirectCopy extends BuiltKernel {
    /** The mechanism. */
    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>("direct-copy", "ld.global", Target.SM_80,
            Builder::new, List.of(Builder.TILE, Builder.THREADS, Builder.STEP, Builder.PER_THREAD));
    /** The preset. */
    public static final Preset PRESET = new Preset("direct", MECHANISM,
            "copies an array without shared memory", Schedule.parse("threads=64"));

    private final Parameter.Int bytes;
    private final TilePartition partition;
    private final int perThread;
    private final int tileBytes;

    private DirectCopy(Builder b) {
        bytes = new Parameter.Int("bytes", IntType.S64);
        partition = new TilePartition(Walk.RUNS);
        perThread = b.perThread;
        tileBytes = b.tileBytes();
        super(b);
    }

    @Override
    TileProgram describe() {
        List<Parameter> parameters = new ArrayList<>(List.of(sources.getFirst(), result, bytes));
        parameters.addAll(partition.parameters());
        parameters.addAll(scalars);
        return new TileProgram("direct_copy", perThread + " elements in a row, " + stepText(), threads,
                parameters, new SharedLayout(List.of()), Body.steps(this::tiles));
    }

    private void tiles(Body body) {
        TilePartition.TileRange mine = partition.define(body);
        int size = type.bytes();
        body.purpose("one tile a turn").loop("turn", 0, mine.count(), 1, (tile, turn) -> {
            Expr start = tile.purpose("where the tile starts")
                    .let("start", mine.first().plus(turn).toS64().times(tileBytes));
            tile.purpose("this thread's elements")
                    .loop("in_tile", Builtin.THREAD.times(perThread * size), tileBytes,
                    threads * perThread * size, (each, inTile) -> {
                        for (int i = 0; i < perThread; i++) {
                            element(each, i, start, inTile.plus(i * size));
                        }
                    });
        });
    }

    private void element(Body body, int number, Expr start, Expr inTile) {
        Expr at = body.purpose("where the element lies").let("at" + number, start.plus(inTile));
        body.purpose("unless the tile or the array has ended")
                .when(inTile.lessThan(tileBytes).and(at.lessThan(bytes.value())),
                in -> elementwise.move(in, "data" + number, type.bytes(), List.of(new Address.Global(sources
                        .getFirst(), at)),
                        new Address.Global(result, at)));
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        values.put(bytes, new Argument.Int(elements * type.bytes()));
        return partition.bind(Shapes.tiles(List.of(Math.ceilDiv(elements * type.bytes(), tileBytes))), gridPolicy,
                values);
    }

    /** Choices for a {@link DirectCopy}. */
    public static final class Builder extends KernelBuilder<Builder> {
        static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 1, 1, 64));
        static final Option<Builder, Integer> PER_THREAD = new Option<>("per-thread", "N",
                "elements that one thread moves in a row", new Numbers(1, 4), Builder::perThread, b -> b.perThread)
                .sweeping("1", "2", "9");

        private int perThread = 1;

        private Builder(ElementType type) {
            super(MECHANISM, type, 1);
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(1024);
        }

        @Override
        int defaultThreads() {
            return 128;
        }

        Builder perThread(int elements) {
            perThread = elements;
            return this;
        }

        @Override
        public DirectCopy build() {
            require(TILE, THREADS, PER_THREAD);
            return new DirectCopy(this);
        }
    }
}

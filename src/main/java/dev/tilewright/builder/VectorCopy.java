package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
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
import java.util.Objects;

/**
 * The copy that everything else is measured against: ordinary loads and stores of 16 bytes, through registers, without
 * shared memory. The array is one long row, whatever its shape; a tile is a run of elements.
 *
 * <p>Where a thread moves several chunks it starts their loads before it stores what the first one brought; one chunk
 * in each of many threads is as fast on an H200 as its own copy. Neighbouring threads take neighbouring chunks, so that
 * a warp touches 512 bytes in a row at once.
 */
public final class VectorCopy extends BuiltKernel {
    static final String NAME = "vector-copy";
    /** The mechanism. */
    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>(NAME, "ld.global.v4", Target.SM_80,
            Builder::new, List.of(Builder.TILE, Builder.THREADS, Builder.STEP, Builder.WALK,
                    Builder.LOADS));
    /** Bytes of the widest access, of which a tile is a multiple. */
    private static final int CHUNK = 16;

    private final Parameter.Int bytes;
    private final TilePartition partition;
    private final int loads;
    private final int tileBytes;

    private VectorCopy(Builder b) {
        bytes = new Parameter.Int("bytes", IntType.S64);
        partition = new TilePartition(b.walk);
        loads = b.loads;
        tileBytes = b.tileBytes();
        super(b);
    }

    @Override
    TileProgram describe() {
        return new TileProgram(kernelName,
                "16-byte loads and stores over tiles of " + tile.getFirst() + " " + type + ", " + loads
                        + (loads == 1 ? " load" : " loads") + " under way in each thread, " + stepText(),
                threads, parameters(partition, bytes), new SharedLayout(List.of()), Body.steps(this::tiles));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        Objects.requireNonNull(type, "type");
        return new Builder(type);
    }

    /** Choices for a {@link VectorCopy}. Defaults: tiles of 4 KiB, 256 threads, 1 load under way in each. */
    public static final class Builder extends KernelBuilder<Builder> {
        /** Extents of a tile in elements, outermost first. */
        public static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 1, 1, 600))
                .sweeping("4096B", "16384B", "65536B");
        /** 16-byte loads that one thread starts before it stores: 1, 2, 4 or 8. */
        public static final Option<Builder, Integer> LOADS = new Option<>("loads", "N",
                "16-byte loads that one thread starts before it stores", Choices.numbers(1, 2, 4, 8),
                Builder::loads, b -> b.loads).sweeping("1", "4", "8");

        private int loads = 1;

        private Builder(ElementType type) {
            super(MECHANISM, type, 1);
        }

        /** 16-byte loads that one thread starts before it stores: 1, 2, 4 or 8. Default 1. */
        public Builder loads(int count) {
            loads = count;
            return this;
        }

        @Override
        public VectorCopy build() {
            require(TILE, THREADS, LOADS);
            if (tileBytes() % CHUNK != 0) {
                throw new BadRequestException("a tile of " + NAME + " is a multiple of 16 bytes, got "
                        + tileExtents().getFirst() + " " + type + " = " + tileBytes() + " bytes: use a multiple of "
                        + CHUNK / type.bytes() + " elements");
            }
            return new VectorCopy(this);
        }
    }

    /** Bytes of a source that a thread reads at once. */
    private int chunkBytes() {
        return elementwise.chunk(CHUNK);
    }

    /** Bytes from a thread's chunk to its next one. */
    private Expr stride() {
        return namedThreads.times(chunkBytes());
    }

    /** Where the chunk lies that is this many after the one at a place. */
    private Expr next(Expr at, int chunks) {
        return chunks == 0 ? at : at.plus(stride().times(chunks));
    }

    private void tiles(Body body) {
        TilePartition.TileRange mine = partition.define(body);
        body.purpose("one tile a turn").loop("turn", mine.count(), (loop, turn) -> {
            Expr namedTileBytes = Expr.named("tile_bytes", tileBytes);
            Expr start = loop.purpose("where the tile starts")
                    .let("start", mine.tile(turn).toS64().times(namedTileBytes));
            Expr size = loop.purpose("the tile's bytes; the last tile may be shorter")
                    .let("tile_size", bytes.value().minus(start).min(namedTileBytes).toS32());
            loop.purpose("this thread's chunks of " + chunkBytes() + " bytes"
                    + (loads == 1 ? "" : ", " + loads + " at a time"))
                    .loop("at", Builtin.THREAD.times(chunkBytes()), size, loads == 1 ? stride() : stride().times(loads),
                    (each, at) -> each.purpose("a whole chunk, or the rest of one at the tile's end")
                            .when(size.atLeast(next(at, loads - 1).plus(chunkBytes())),
                            whole -> together(whole, start, at), last -> rest(last, start, at, size)));
        });
    }

    private void together(Body body, Expr start, Expr at) {
        List<ElementwiseStep.Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < loads; i++) {
            chunks.add(elementwise.read(body, "data" + i, chunkBytes(),
                    ElementwiseStep.global(sources, place(start, at, i))));
        }
        for (int i = 0; i < loads; i++) {
            elementwise.write(body, chunks.get(i),
                    new Address.Global(result, elementwise.inResult(place(start, at, i))));
        }
    }

    private Expr place(Expr start, Expr at, int number) {
        return start.plus(next(at, number).toS64());
    }

    /** What is no whole turn of chunks; of one chunk a turn, a part of that. */
    private void rest(Body body, Expr start, Expr at, Expr size) {
        if (loads == 1) {
            part(body, body.purpose("bytes of the chunk inside the tile").let("inside", size.minus(at)),
                    body.purpose("its place in the array").let("place", start.plus(at.toS64())));
            return;
        }
        body.purpose("one chunk at a time").loop("chunk", at, size.min(next(at, loads)), stride(),
                (each, chunk) -> {
                    Expr inside = each.purpose("bytes of the chunk inside the tile")
                            .let("inside", size.minus(chunk).min(chunkBytes()));
                    Expr place = each.purpose("its place in the array").let("place", start.plus(chunk.toS64()));
                    each.purpose("a whole chunk in one access, a part of one element by element").when(
                            inside.isEqualTo(chunkBytes()),
                            whole -> elementwise.move(whole, "data", chunkBytes(),
                            ElementwiseStep.global(sources, place),
                                    new Address.Global(result, elementwise.inResult(place))),
                            part -> part(part, inside, place));
                });
    }

    private void part(Body body, Expr inside, Expr place) {
        elementwise.moveSome(body, "element", inside, more -> ElementwiseStep.global(sources, place.plus(more.toS64())),
                more -> new Address.Global(result, elementwise.inResult(place).plus(more.toS64())));
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        long total = elements * type.bytes();
        values.put(bytes, new Argument.Int(total));
        int tiles = Shapes.tiles(List.of(Math.ceilDiv(total, tileBytes)));
        return partition.bind(tiles, gridPolicy, values);
    }
}

package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/**
 * A ring of two stages that four tiles of 16 floats go through, scaled, whose parts are procedures, or stand where they
 * are called: one that loads a tile, called twice ahead and from the loop, and one that shows a tile and calls a third.
 */
public final class ProcedureKernels {
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int WIDTH = new Parameter.Int("width", IntType.S32);
    private static final Parameter.Scalar FACTOR = new Parameter.Scalar("factor", ElementType.F32);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 1);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", 128, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final int TILE_BYTES = 64;
    public static final int BYTES = 4 * TILE_BYTES;

    private static final Expr.Var TILE = new Expr.Var("tile", IntType.S32);
    private static final Expr.Var STAGE = new Expr.Var("stage", IntType.S32);
    private static final Expr.Var PLACE = new Expr.Var("place", IntType.S32);
    public static final Procedure LOAD = Procedure.of("load_tile", "Loads a tile into a stage; one thread runs this.",
            List.of(TILE, STAGE), b -> load(b, TILE, STAGE));
    private static final Procedure MARK = Procedure.of("mark", "Says that a place is written.", List.of(PLACE),
            b -> mark(b, PLACE));
    private static final Procedure SHOW = Procedure.of("show_tile", "Writes a stage's tile to the result.",
            List.of(TILE, STAGE), b -> show(b, TILE, STAGE, place -> b.call(MARK, place)));

    private ProcedureKernels() {
    }

    /** What does the parts. */
    private interface Parts {
        void load(Body body, Expr tile, Expr stage);

        void show(Body body, Expr tile, Expr stage);
    }

    /** With procedures. */
    public static TileProgram called() {
        return program(new Parts() {
            @Override
            public void load(Body body, Expr tile, Expr stage) {
                body.call(LOAD, tile, stage);
            }

            @Override
            public void show(Body body, Expr tile, Expr stage) {
                body.purpose("scale it on its way out").call(SHOW, tile, stage);
            }
        });
    }

    /** The kernel without procedures. */
    public static TileProgram inlined() {
        return program(new Parts() {
            @Override
            public void load(Body body, Expr tile, Expr stage) {
                ProcedureKernels.load(body, tile, stage);
            }

            @Override
            public void show(Body body, Expr tile, Expr stage) {
                ProcedureKernels.show(body, tile, stage, place -> mark(body, place));
            }
        });
    }

    private static TileProgram program(Parts parts) {
        return new TileProgram("procedures", "scales four tiles", 16, List.of(SOURCE, RESULT, WIDTH, FACTOR, MAP),
                new SharedLayout(List.of(RING, FULL)), Body.steps(body -> {
                    body.when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.loop("i", 2, (each, i) -> each.barrierInit(FULL.at(i), 1));
                        one.barrierInitFence();
                        parts.load(one, Expr.of(0), Expr.of(0));
                        parts.load(one, Expr.of(1), Expr.of(1));
                    });
                    body.purpose("the barriers are there").syncThreads();
                    body.purpose("a tile a turn").loop("turn", 4, (each, turn) -> {
                        Expr stage = each.let("stage", turn.modulo(2));
                        each.purpose("the tile has landed").waitParity(FULL.at(stage), turn.dividedBy(2));
                        parts.show(each, turn, stage);
                        each.purpose("the stage is free").syncThreads();
                        each.when(Builtin.THREAD.isEqualTo(0).and(turn.lessThan(2)),
                                one -> parts.load(one, turn.plus(2), stage));
                    });
                }));
    }

    private static void load(Body body, Expr tile, Expr stage) {
        body.purpose("announce the tile").arriveExpectTx(FULL.at(stage), TILE_BYTES);
        body.bulkLoad(RING.at(stage.times(TILE_BYTES)), new Address.Global(SOURCE, tile.times(TILE_BYTES).toS64()),
                TILE_BYTES, FULL.at(stage));
        body.prefetchMap(MAP);
    }

    private static void show(Body body, Expr tile, Expr stage, Consumer<Expr> mark) {
        Expr at = body.let("at", Builtin.THREAD.times(4));
        Value element = body.load("element", ValueType.F32, RING.at(stage.times(TILE_BYTES).plus(at)));
        Expr place = body.let("place", tile.times(WIDTH.value()).plus(at));
        body.store(new Address.Global(RESULT, place.toS64()), element.times(FACTOR.value()));
        mark.accept(place);
    }

    private static void mark(Body body, Expr place) {
        body.purpose("one for each place").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                Input.of(new Address.Global(RESULT, place.plus(BYTES).toS64())), Input.of(1));
    }

    /**
     * A launch of one of them on buffers of {@link #BYTES} and twice as many. @param width bytes of a tile in the
     * result
     */
    public static Launch launch(TileProgram program, int width) {
        TiledTensorMap map = TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, List.of((long) BYTES),
                List.of(16), Swizzle.NONE);
        return new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1), new Argument.Int(width),
                new Argument.Scalar(Float.floatToIntBits(2f)), new Argument.Tensor(map, 0)));
    }

    /** The source, of floats 0 to 63, and the result. */
    public static List<MemorySegment> memory() {
        float[] source = new float[BYTES / 4];
        for (int i = 0; i < source.length; i++) {
            source[i] = i;
        }
        byte[] bytes = new byte[BYTES];
        MemorySegment.ofArray(bytes).copyFrom(MemorySegment.ofArray(source));
        return List.of(MemorySegment.ofArray(bytes), MemorySegment.ofArray(new byte[2 * BYTES]));
    }
}

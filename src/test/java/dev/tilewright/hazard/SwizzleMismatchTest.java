package dev.tilewright.hazard;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A product reads a matrix as the tensor copies have laid it, with every swizzle of the map and of the descriptor. */
class SwizzleMismatchTest {
    private static final int ROWS = 64;
    private static final int COLUMNS = 64;
    private static final List<Swizzle> ALL = List.of(Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128);
    private static final Parameter.TensorMap A = new Parameter.TensorMap("a", 2);
    private static final Parameter.Pointer B = new Parameter.Pointer("b", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final MatrixTile B_TILE = new MatrixTile(8, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final SharedRegion.Buffer A_THERE = new SharedRegion.Buffer("a_there", 2 * ROWS * COLUMNS, 1024);
    private static final SharedRegion.Buffer B_THERE = new SharedRegion.Buffer("b_there", B_TILE.bytes(), 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Expr T = Builtin.THREAD;

    private static MatrixTile tile(Swizzle swizzle) {
        return new MatrixTile(ROWS, COLUMNS, 2, MatrixMajor.K, swizzle);
    }

    /** Brings A in panels as the map has them, and multiplies the part of it from this column on. */
    private static void write(Body body, MatrixTile brought, MatrixTile read, int column) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("full").barrierInit(FULL.at(0), 1);
            one.purpose("known to the copy engine").barrierInitFence();
            one.purpose("announce").arriveExpectTx(FULL.at(0), brought.bytes());
            for (int panel = 0; panel < brought.panels(); panel++) {
                one.purpose("load").tensorLoad(A_THERE.at(panel * brought.panelStride()), A,
                        Expr.list(panel * brought.panelElements(), 0), FULL.at(0));
            }
        });
        body.purpose("a few").when(T.lessThan(16), few -> {
            Fragment words = few.purpose("B").load("words", ElementType.U32, 4, new Address.Global(B, T.times(16)));
            few.purpose("B").store(B_THERE.at(T.times(16)), words);
        });
        body.purpose("the tensor cores see it").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("set up").syncThreads();
        body.purpose("A is there").waitParity(FULL.at(0), 0);
        Register sums = body.purpose("64 x 8 sums").registers("sums", 4, Value.f32(0));
        body.purpose("the sums are the tensor cores'").issue(new WgmmaFence());
        body.purpose("multiply").issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 8), Input.of(sums),
                Input.of(A_THERE.at(0).descriptor(read).plus(Expr.of((long) read.startOf(0, column) / 16))),
                Input.of(B_THERE.at(0).descriptor(B_TILE)), Input.of(1));
        body.purpose("a group").issue(new WgmmaCommitGroup());
        body.purpose("it is done").issue(new WgmmaWaitGroup(0));
        body.purpose("show it").store(new Address.Global(OUT, T.times(16)), sums.at(0), sums.at(1), sums.at(2),
                sums.at(3));
    }

    static HazardReport check(Swizzle brought, Swizzle read, int column) {
        MatrixTile panels = tile(brought);
        TileProgram program = new TileProgram("small", "one product", 128, List.of(A, B, OUT),
                new SharedLayout(List.of(A_THERE, B_THERE, FULL)),
                Body.steps(body -> write(body, panels, tile(read), column)));
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.BFLOAT16).shape(ROWS, COLUMNS)
                .box(ROWS, panels.panelElements()).swizzle(brought).build(Target.SM_90);
        try (Arena arena = Arena.ofConfined()) {
            return HazardCheck.check(
                    Launch.of(program, 1, Map.of(A, new Argument.Tensor(map, 0), B, new Argument.Buffer(1),
                    OUT, new Argument.Buffer(2))), List.of(arena.allocate(2 * ROWS * COLUMNS, 128),
                    arena.allocate(256, 128), arena.allocate(2048, 128)));
        }
    }

    @Test
    void whatFillsAMatrixAndWhatReadsItAgree() {
        Predicate<Object> share = Thorough.share(3);
        for (Swizzle brought : ALL) {
            for (Swizzle read : ALL) {
                for (int column = 0; column < COLUMNS; column += 16) {
                    if (!share.test(column)) {
                        continue;
                    }
                    HazardReport report = check(brought, read, column);
                    assertEquals(brought == read ? Set.of() : Set.of(HazardCode.SWIZZLE_MISMATCH), report.codes(),
                            () -> brought + " read as " + read + ": " + report);
                }
            }
        }
    }
}

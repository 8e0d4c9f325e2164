package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Products of a warpgroup that go wrong, and what they read of shared memory that nothing has written. */
class WarpgroupProductsTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final MatrixTile A = new MatrixTile(64, 16, 2, MatrixMajor.K, Swizzle.B32);
    private static final MatrixTile B = new MatrixTile(8, 16, 2, MatrixMajor.K, Swizzle.B32);
    private static final SharedRegion.Buffer A_TILE = new SharedRegion.Buffer("a_tile", A.bytes(), 256);
    private static final SharedRegion.Buffer B_TILE = new SharedRegion.Buffer("b_tile", B.bytes(), 256);

    /** What differs from a right kernel. */
    private static final class Choices {
        private int threads = 128;
        /** Rows of A and columns of B that are written. */
        private int rows = 64;
        private int columns = 8;
        private int storedColumns = 8;
        private Expr descriptorAdds = Expr.of(0L);
        private Expr performs = Builtin.THREAD.atLeast(0);
    }

    private static TileProgram program(Choices c) {
        return new TileProgram("product", "one product of a warpgroup", c.threads, List.of(OUT),
                new SharedLayout(List.of(A_TILE, B_TILE)), Body.steps(body -> {
                    fill(body, A_TILE, c.rows, c.threads);
                    fill(body, B_TILE, c.columns, c.threads);
                    body.purpose("seen by the tensor cores").proxyFence(FenceProxyAsync.Memory.ALL);
                    body.purpose("filled").syncThreads();
                    body.purpose("those who multiply").when(c.performs, all -> {
                        Register sums = all.purpose("sums").registers("sums", 4, Value.f32(0));
                        all.purpose("registers were written").issue(new WgmmaFence());
                        all.purpose("multiply").issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 8), Input.of(sums),
                                Input.of(descriptor(A, A_TILE).plus(c.descriptorAdds)), Input.of(descriptor(B,
                                        B_TILE)), Input.of(0));
                        all.purpose("a group").issue(new WgmmaCommitGroup());
                        all.purpose("done").issue(new WgmmaWaitGroup(0));
                        Expr column = Builtin.THREAD.modulo(4).times(2);
                        Expr row = Builtin.THREAD.dividedBy(32).times(16).plus(Builtin.THREAD.modulo(32).dividedBy(4));
                        for (int i = 0; i < 4; i++) {
                            Expr at = row.plus(i / 2 * 8).times(8).plus(column).plus(i % 2);
                            int register = i;
                            all.purpose("columns that are wanted").when(column.plus(i % 2).lessThan(c.storedColumns),
                                    b -> b
                                    .purpose("store").store(new Address.Global(OUT, at.times(4).toS64()),
                                            sums.at(register)));
                        }
                    });
                }));
    }

    private static Expr descriptor(MatrixTile tile, SharedRegion.Buffer buffer) {
        return Expr.of(tile.descriptor(0).encode()).plus(buffer.address().bitAnd(0x3FFFF).dividedBy(16).toS64());
    }

    /** Writes rows of 32 bytes, each word the two bf16 numbers 1 and 2. */
    private static void fill(Body body, SharedRegion.Buffer tile, int rows, int threads) {
        body.purpose("fill").loop("at", Builtin.THREAD.times(4), rows * 32, threads * 4,
                (each, at) -> each.purpose("two numbers").store(tile.at(at), Value.u32(0x4000_3F80)));
    }

    private static MemorySegment run(Choices c) {
        MemorySegment out = MemorySegment.ofArray(new byte[64 * 8 * 4]);
        Reference.run(Launch.of(program(c), 1, Map.of(OUT, new Argument.Buffer(0))), List.of(out));
        return out;
    }

    private static void refused(Choices c, Kind kind, String words) {
        ReferenceException e = assertThrows(ReferenceException.class, () -> run(c));
        assertTrue(e.getMessage().contains(words), e.getMessage());
        assertEquals(kind, e.kind(), e.getMessage());
    }

    private static List<String> found(Choices c) {
        List<String> codes = new ArrayList<>();
        HazardCheck.check(Launch.of(program(c), 1, Map.of(OUT, new Argument.Buffer(0))),
                List.of(MemorySegment.ofArray(new byte[64 * 8 * 4])), HazardOptions.DEFAULT).findings()
                .forEach(f -> codes.add(f.code().toString()));
        return codes;
    }

    @Test
    void theRightKernel() {
        // Eight times 1 * 1 + 2 * 2.
        float first = run(new Choices()).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
        assertEquals(40, first);
        assertEquals(List.of(), found(new Choices()));
    }

    @Test
    void aWarpgroupIsWhole() {
        Choices c = new Choices();
        c.threads = 96;
        refused(c, Kind.WARP, "the last warpgroup of the block has 96 threads, and this takes 128");
    }

    @Test
    void everyWarpComes() {
        Choices c = new Choices();
        // As a value: what the program's text does not tell.
        c.performs = Builtin.THREAD.toValue().lessThan(96).toIndex();
        refused(c, Kind.WARP, "not every thread of the warpgroup reaches this step: threads 0-95 wait for the rest of "
                + "the warpgroup");
    }

    @Test
    void allHaveTheSameDescriptors() {
        Choices c = new Choices();
        c.descriptorAdds = Builtin.THREAD.dividedBy(64).toS64();
        refused(c, Kind.WARP, "all threads of a warpgroup must perform this together");
    }

    @Test
    void descriptorsLeadIntoSharedMemory() {
        Choices far = new Choices();
        far.descriptorAdds = Expr.of((1L << 17) / 16);
        refused(far, Kind.OUT_OF_BOUNDS, "of shared memory, of which the block has");
        Choices other = new Choices();
        other.descriptorAdds = Expr.of(1L << 47);
        refused(other, Kind.OUT_OF_BOUNDS, "is no matrix descriptor");
    }

    /** A column of B that nothing has written spoils its column of the sums, which may be left unused. */
    @Test
    void unwrittenBytesAreFollowedIntoTheSums() {
        Choices unused = new Choices();
        unused.columns = 5;
        unused.storedColumns = 5;
        assertEquals(List.of(), found(unused));
        Choices used = new Choices();
        used.columns = 5;
        used.storedColumns = 6;
        assertEquals(List.of("read-unwritten"), found(used));
        Choices rows = new Choices();
        rows.rows = 63;
        assertEquals(List.of("read-unwritten"), found(rows));
    }
}

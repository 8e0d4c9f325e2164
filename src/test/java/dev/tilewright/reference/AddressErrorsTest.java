package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Addresses that hardware would fault on, or that would hit somebody else's bytes. The buffer is at shared address 16.
 */
class AddressErrorsTest {

    @Test
    void fragmentsAreAligned() {
        refused(Kind.MISALIGNED, "byte 4 of shared buffer 'buffer' is at shared address 20, which must be a multiple "
                + "of 8", body -> body.purpose("step").load("f", ElementType.F32, 2, buffer(4)));
        refused(Kind.MISALIGNED, "byte offset 8 of 'in' must be a multiple of 16",
                body -> body.purpose("step").load("f", ElementType.F32, 4, in(8)));
        refused(Kind.MISALIGNED, "byte offset 2 of 'out' must be a multiple of 4", body -> {
            Fragment f = body.purpose("load").load("f", ElementType.I8, 4, in(0));
            body.purpose("step").store(out(2), f);
        });
    }

    @Test
    void fragmentsStayInTheirBuffer() {
        refused(Kind.OUT_OF_BOUNDS, "bytes 1056 to 1063 are outside shared buffer 'buffer' of 1056 bytes",
                body -> body.purpose("step").load("f", ElementType.F64, 1, buffer(1056)));
        refused(Kind.OUT_OF_BOUNDS, "bytes -8 to -1 are outside shared buffer 'buffer' of 1056 bytes",
                body -> body.purpose("step").load("f", ElementType.F64, 1, buffer(-8)));
        refused(Kind.OUT_OF_BOUNDS, "bytes 64 to 64 are outside 'in', which has 64 bytes",
                body -> body.purpose("step").load("f", ElementType.U8, 1, in(64)));
        refused(Kind.OUT_OF_BOUNDS, "bytes 64 to 79 are outside 'out', which has 64 bytes", body -> {
            Fragment f = body.purpose("load").load("f", ElementType.I8, 16, in(48));
            body.purpose("step").store(out(64), f);
        });
    }

    @ParameterizedTest
    @CsvSource({"4, 2", "8, 4", "16, 8"})
    void cpAsyncIsAligned(int bytes, int offset) {
        refused(Kind.MISALIGNED, "byte offset " + offset + " of 'in' must be a multiple of " + bytes,
                body -> body.purpose("step").cpAsync(buffer(0), in(offset), bytes));
        refused(Kind.MISALIGNED, "byte " + offset + " of shared buffer 'buffer' is at shared address " + (16 + offset)
                + ", which must be a multiple of " + bytes, body -> body.purpose("step")
                        .cpAsync(buffer(offset), in(0), bytes));
    }

    @Test
    void cpAsyncStaysInBounds() {
        refused(Kind.OUT_OF_BOUNDS, "bytes 64 to 79 are outside 'in', which has 64 bytes",
                body -> body.purpose("step").cpAsync(buffer(0), in(64), 16));
        refused(Kind.OUT_OF_BOUNDS, "bytes 64 to 64 are outside 'in', which has 64 bytes",
                body -> body.purpose("step").cpAsync(buffer(0), in(64), 16).sourceBytes(1));
        refused(Kind.OUT_OF_BOUNDS, "bytes 1056 to 1071 are outside shared buffer 'buffer' of 1056 bytes",
                body -> body.purpose("step").cpAsync(buffer(1056), in(0), 16));
        SmallKernel.run(1, body -> body.purpose("reads nothing")
                .cpAsync(buffer(0), in(64), 16).sourceBytes(0));
    }

    @ParameterizedTest
    @CsvSource({"16, 17", "16, -1", "8, 9", "4, 5", "4, 16"})
    void cpAsyncReadsNoMoreThanItWrites(int bytes, int sourceBytes) {
        refused(Kind.BAD_SIZE, "cp.async of " + bytes + " bytes can read 0 to " + bytes + " bytes, got " + sourceBytes,
                body -> body.purpose("step").cpAsync(buffer(0), in(0), bytes).sourceBytes(sourceBytes));
    }

    @Test
    void bulkCopiesAreAlignedAndInBounds() {
        refused(Kind.MISALIGNED, "byte offset 8 of 'in' must be a multiple of 16", bulkLoad(0, 8, 16));
        refused(Kind.MISALIGNED, "byte 8 of shared buffer 'buffer' is at shared address 24, which must be a multiple "
                + "of 16", bulkLoad(8, 0, 16));
        refused(Kind.OUT_OF_BOUNDS, "bytes 32 to 79 are outside 'in', which has 64 bytes", bulkLoad(0, 32, 48));
        refused(Kind.OUT_OF_BOUNDS, "bytes 1040 to 1071 are outside shared buffer 'buffer' of 1056 bytes",
                bulkLoad(1040, 0, 32));
        refused(Kind.OUT_OF_BOUNDS, "bytes 48 to 79 are outside 'out', which has 64 bytes",
                body -> body.purpose("step").bulkStore(out(48), buffer(0), 32));
    }

    private static Consumer<Body> bulkLoad(int to, int from, int bytes) {
        return body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("step").bulkLoad(buffer(to), in(from), bytes, barrier(0));
        };
    }

    @Test
    void indexArithmeticIsChecked() {
        refused(Kind.ARITHMETIC, "2147483647 + 1 does not fit a 32-bit index",
                body -> body.purpose("step").let("x", Builtin.THREAD.plus(Integer.MAX_VALUE).plus(1)));
        refused(Kind.ARITHMETIC, "1 / 0 divides by zero",
                body -> body.purpose("step").let("x", Builtin.GRID.dividedBy(Builtin.BLOCK)));
    }

    @Test
    void theThreadAtFaultIsNamed() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'small', block 0, thread 16, step 'step': bytes 64 to 67 are "
                + "outside "
                + "'in', which has 64 bytes", () -> SmallKernel.run(32, body -> body.purpose("step")
                        .load("f", ElementType.F32, 1,
                        new Address.Global(SmallKernel.IN, Builtin.THREAD.toS64().times(4)))));
    }

    @Test
    void fragmentsOfEverySizeMoveEveryByte() {
        for (int size = 1; size <= 16; size *= 2) {
            int bytes = size;
            byte[] result = SmallKernel.run(1, body -> {
                Fragment in = body.purpose("load").load("f", ElementType.U8, bytes, in(32));
                body.purpose("to shared").store(buffer(16), in);
                Fragment out = body.purpose("from shared").load("g", ElementType.U8, bytes, buffer(16));
                body.purpose("store").store(out(16), out);
            });
            byte[] expected = new byte[64];
            for (int i = 0; i < bytes; i++) {
                expected[16 + i] = (byte) (32 + i);
            }
            assertArrayEquals(expected, result, () -> bytes + " bytes: " + Arrays.toString(result));
        }
    }

    private static void refused(Kind kind, String sentence, Consumer<Body> code) {
        assertComplaint(kind, "kernel 'small', block 0, thread 0, step 'step': " + sentence,
                () -> SmallKernel.run(1, code));
    }
}

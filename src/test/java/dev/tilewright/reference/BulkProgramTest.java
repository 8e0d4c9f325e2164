package dev.tilewright.reference;

import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.BulkRing.Wait;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bulk copies and mbarriers at work, and every way of getting them wrong. */
class BulkProgramTest {
    private static final TileProgram RING = BulkRing.program(2, Wait.PARITY);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final String TOO_EARLY = "kernel 'add_ring', block 0, thread 0, step 'arrive next_': barrier "
            + "full[0] gets an "
            + "arrival too many: the only one of phase 0 has come, and the phase still waits for bytes (512 expected, "
            + "0 came)";
    private static final String LEFT_BEHIND = "kernel 'add_ring', block 0, thread 0, step 'load first_': the block "
            + "ends while "
            + "this copy of 256 bytes into its shared memory is still in flight; wait for barrier full[0] before the "
            + "last "
            + "thread exits";

    @Property(tries = 70)
    void theRingAddsToEveryElement(@ForAll @IntRange(min = 1, max = 4) int stages, @ForAll Wait wait,
            @ForAll @IntRange(min = 1, max = 300) int chunks, @ForAll @IntRange(min = 1, max = 4) int grid) {
        byte[] source = TestData.bytes(16 * chunks, chunks);
        assertArrayEquals(added(source), BulkRing.run(BulkRing.program(stages, wait), source, grid));
    }

    private static byte[] added(byte[] source) {
        MemorySegment words = MemorySegment.ofArray(source.clone());
        for (long at = 0; at < words.byteSize(); at += 4) {
            words.set(ValueLayout.JAVA_INT_UNALIGNED, at,
                    words.get(ValueLayout.JAVA_INT_UNALIGNED, at) + BulkRing.ADDED);
        }
        return words.toArray(ValueLayout.JAVA_BYTE);
    }

    // ---- wrong bytes

    @ParameterizedTest
    @ValueSource(strings = {"commit", "wait until it is read", "store", "all have written", "write"})
    void aMissingStepGivesWrongBytes(String purpose) {
        byte[] source = TestData.bytes(20 * BulkRing.TILE, 1);
        byte[] result = BulkRing.run(Mutation.without(BulkRing.program(2, Wait.PARITY), purpose), source, 2);
        assertFalse(Arrays.equals(added(source), result), "the mistake went unnoticed");
    }

    // ---- kernels that would never end

    @Test
    void aMissingArrivalIsReported() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 0 (parity 0) with 1 of 1 arrival pending, 256 bytes "
                + "expected and 256 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.without(BulkRing.program(2, Wait.PARITY), "arrive first_")));
    }

    @Test
    void aMissingArrivalInALaterPhaseIsReported() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 1 (parity 1) with 1 of 1 arrival pending, 256 bytes "
                + "expected and 256 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.without(BulkRing.program(2, Wait.PARITY), "arrive next_")));
    }

    @Test
    void aMissingArrivalIsReportedWithTokensToo() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 0 (parity 0) with 1 of 17 arrivals pending, 256 bytes "
                + "expected and 256 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.without(BulkRing.program(2, Wait.TOKEN), "arrive first_")));
    }

    @ParameterizedTest
    @CsvSource({"512", "128"})
    void aWrongByteCountIsReportedWithBothNumbers(int expected) {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 0 (parity 0) with 0 of 1 arrival pending, " + expected
                + " bytes expected and 256 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.replace(RING, "expect first_",
                        b -> b.expectTx(FULL.at(Mutation.variable(RING, "first")), expected))));
    }

    @Test
    void aMissingLoadIsReported() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 0 (parity 0) with 0 of 1 arrival pending, 256 bytes "
                + "expected and 0 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.without(BulkRing.program(2, Wait.PARITY), "load first_")));
    }

    @Test
    void aBarrierWithTooManyArrivalsToComeIsReported() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': the kernel "
                + "would "
                + "wait forever: barrier full[0] stays in phase 0 (parity 0) with 1 of 2 arrivals pending, 256 bytes "
                + "expected and 256 bytes that came, and threads 0-15 wait for it",
                () -> run(Mutation.replace(RING, "init", b -> b.barrierInit(FULL.at(Mutation.variable(RING, "b")),
                2))));
    }

    /**
     * The first waits pass at once, on a phase that has not happened; thread 0 then refills a stage that never filled.
     */
    @Test
    void aFlippedParityIsReported() {
        assertComplaint(Kind.ARRIVAL_BEFORE_BYTES, TOO_EARLY, () -> run(flipped()));
    }

    @Test
    void aFlippedParityInTheLastTilesLeavesTheirLoadsBehind() {
        assertComplaint(Kind.LEFT_IN_FLIGHT, LEFT_BEHIND, () -> BulkRing.run(flipped(), TestData.bytes(256, 1), 1));
    }

    private static TileProgram flipped() {
        Expr.Var turn = Mutation.variable(RING, "turn");
        Expr.Var stage = Mutation.variable(RING, "stage");
        return Mutation.replace(RING, "wait for the tile",
                b -> b.waitParity(FULL.at(stage), turn.dividedBy(2).plus(1).modulo(2)));
    }

    // ---- other mistakes

    @Test
    void aMissingWaitIsReported() {
        TileProgram mutant = Mutation.without(BulkRing.program(2, Wait.PARITY), "wait for the tile");
        assertComplaint(Kind.ARRIVAL_BEFORE_BYTES, TOO_EARLY, () -> run(mutant));
        assertComplaint(Kind.LEFT_IN_FLIGHT, LEFT_BEHIND, () -> BulkRing.run(mutant, TestData.bytes(256, 1), 1));
    }

    @Test
    void aMissingInitialisationIsReported() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'add_ring', block 0, thread 0, step 'expect first_': barrier "
                + "full[0] is "
                + "used before it is initialised",
                () -> run(Mutation.without(BulkRing.program(2, Wait.PARITY), "init")));
    }

    @Test
    void initialisationByEveryThreadIsReported() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'add_ring', block 0, thread 1, step 'thread 0 sets up': barrier "
                + "full[0] is "
                + "initialised a second time", () -> run(Mutation.replace(BulkRing.program(2, Wait.PARITY),
                        "thread 0 sets up", b -> b.barrierInit(FULL.at(0), 1))));
    }

    @Test
    void aBarrierBeyondTheArrayIsReported() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'add_ring', block 0, thread 0, step 'wait for the tile': barrier "
                + "full[2] "
                + "does not exist: the array has 2", () -> run(Mutation.replace(BulkRing.program(2, Wait.PARITY),
                        "wait for the tile", b -> b.waitParity(FULL.at(Builtin.THREAD.plus(2)), 0))));
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 0, -16})
    void aBulkCopyMovesMultiplesOf16Bytes(int bytes) {
        SharedRegion.Buffer ring = new SharedRegion.Buffer("ring", 2 * BulkRing.TILE, 128);
        assertComplaint(Kind.BAD_SIZE, "kernel 'add_ring', block 0, thread 0, step 'store': a bulk copy moves a "
                + "multiple of 16 "
                + "bytes and at least 16, got " + bytes, () ->
                run(Mutation.replace(BulkRing.program(2, Wait.PARITY), "store",
                        b -> b.bulkStore(new Address.Global(BulkRing.RESULT, 0), ring.at(0),
                                bytes))));
    }

    private static void run(TileProgram program) {
        BulkRing.run(program, TestData.bytes(20 * BulkRing.TILE, 1), 2);
    }
}

package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;
import java.util.Objects;

/**
 * A copy of any number of bytes from global to shared memory, at any alignment, that threads perform together by the
 * widest accesses that its two addresses allow: {@code cp.async} of 16, 8 or 4 bytes, with ordinary loads and stores
 * for what is left over at the ends, and for all of it where the two addresses differ by an odd number of bytes, or an
 * odd number of pairs. What {@code cuda::memcpy_async} is, and cooperative groups'.
 *
 * <p>It is done when the threads' groups of {@code cp.async} have landed and the threads have met: commit and wait in a
 * {@link GroupPipeline}. Or it completes on an mbarrier: in a {@link BarrierPipeline} of a ring that is
 * {@link BarrierRing.Builder#filledByCpAsyncAndStores}; {@code filledByCpAsync} will do where 4 bytes or more are
 * promised. Of whole 16 bytes one thread's bulk copy is faster yet, in a ring that the copy engine fills.
 *
 * {@snippet :
 * CollectiveCopy copy = CollectiveCopy.by(ThreadRange.first(256));
 * copy.write(body, stage.start(), source.at(from), bytes);
 * }
 */
public final class CollectiveCopy {
    private static final int WIDEST = 16;

    private final ThreadRange threads;
    private final int promised;

    private CollectiveCopy(ThreadRange threads, int promised) {
        this.threads = threads;
        this.promised = promised;
    }

    /** A copy by these threads, a warp or a block, say: all of them perform it. */
    public static CollectiveCopy by(ThreadRange threads) {
        Objects.requireNonNull(threads, "threads");
        return new CollectiveCopy(threads, 1);
    }

    /**
     * Promises that both addresses and the number of bytes are multiples of this, so that nothing is decided when the
     * kernel runs: what {@code cuda::aligned_size_t} says.
     *
     * @param bytes 1, 2, 4, 8 or 16; the reference reports an address that breaks the promise
     */
    public CollectiveCopy aligned(int bytes) {
        if (bytes < 1 || bytes > WIDEST || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("addresses are promised to be multiples of 1, 2, 4, 8 or 16, got "
                    + bytes);
        }
        return new CollectiveCopy(threads, bytes);
    }

    /** Whether the copy may also write by ordinary stores. */
    public boolean stores() {
        return promised < 4;
    }

    /**
     * Adds the copy.
     *
     * @param bytes how many, 0 or more
     */
    public void write(Body body, Address.Shared to, Address.Global from, int bytes) {
        write(body, to, from, Expr.of(bytes));
    }

    /**
     * Adds the copy.
     *
     * @param bytes how many, 0 or more, 32 bits
     */
    public void write(Body body, Address.Shared to, Address.Global from, Expr bytes) {
        NotNull.all("body, to, from, bytes", body, to, from, bytes);
        if (promised >= 4) {
            body.purpose("this thread's share, " + promised + " bytes at a time").loop("at",
                    threads.number().times(promised), bytes, threads.count() * promised,
                    (each, at) -> move(each, promised, to, from, at));
            return;
        }
        if (to.buffer().alignment() < WIDEST) {
            throw new IllegalArgumentException("copies to '" + to.buffer().name() + "' can only have the alignment of "
                    + "the buffer, " + to.buffer().alignment() + ": give it an alignment of 16");
        }
        body.purpose("copy together, as wide as the addresses allow").call(procedure(to.buffer(), from.pointer()),
                to.byteOffset(), from.byteOffset(), bytes);
    }

    private Procedure procedure(SharedRegion.Buffer buffer, Parameter.Pointer pointer) {
        Expr.Var to = new Expr.Var("to", IntType.S32);
        Expr.Var from = new Expr.Var("from", IntType.S64);
        Expr.Var bytes = new Expr.Var("bytes", IntType.S32);
        String name = "copy_" + pointer.name() + "_to_" + buffer.name() + "_by_" + threads.count()
                + (threads.first() == 0 ? "" : "_from_" + threads.first()) + (promised == 1 ? "" : "_in_pairs");
        return Procedure.of(name, "Copies bytes, as wide as both addresses allow; " + threads + " run this.",
                List.of(to, from, bytes), body -> {
            Expr place = body.purpose("where in 16 bytes the destination begins").let("place", to.bitAnd(WIDEST - 1));
            Expr apart = body.purpose("how the two addresses differ in 16 bytes").let("apart", place.xor(
                    pointer.deviceAddress().plus(from).bitAnd(WIDEST - 1).toS32()));
            widest(body, WIDEST, place, apart, new Whole(buffer.at(to), new Address.Global(pointer, from), bytes));
        });
    }

    /** All that is copied. */
    private record Whole(Address.Shared to, Address.Global from, Expr bytes) { }

    /** Accesses of this width if the addresses allow it, else of the next smaller one. */
    private void widest(Body body, int width, Expr place, Expr apart, Whole whole) {
        if (width == promised) {
            inside(body, width, place, whole);
            return;
        }
        body.purpose(width + " bytes at a time, if both addresses can be multiples of that together").when(
                apart.bitAnd(width - 1).isEqualTo(0), yes -> inside(yes, width, place, whole),
                no -> widest(no, width / 2, place, apart, whole));
    }

    /** Accesses of this width to all that they can cover, and smaller ones to what is left over at both ends. */
    private void inside(Body body, int width, Expr place, Whole whole) {
        if (width == promised) {
            share(body, width, "this thread's share", Expr.of(0), whole.bytes(), whole);
            return;
        }
        Expr head = body.purpose("bytes before the first multiple of " + width).let("head",
                Expr.of(WIDEST).minus(place).bitAnd(width - 1).min(whole.bytes()));
        Expr end = body.purpose("where the last whole " + width + " bytes end").let("end",
                head.plus(whole.bytes().minus(head).bitAnd(-width)));
        share(body, width, "this thread's share", head, end, whole);
        share(body, promised, "the bytes before", Expr.of(0), head, whole);
        share(body, promised, "the bytes behind", end, whole.bytes(), whole);
    }

    private void share(Body body, int width, String purpose, Expr begin, Expr end, Whole whole) {
        body.purpose(purpose).loop("at", begin.plus(threads.number().times(width)), end,
                threads.count() * width, (each, at) -> move(each, width, whole.to(), whole.from(), at));
    }

    private static void move(Body body, int width, Address.Shared to, Address.Global from, Expr at) {
        Address.Shared there = to.buffer().at(to.byteOffset().plus(at));
        Address.Global here = new Address.Global(from.pointer(), from.byteOffset().plus(at));
        if (width >= 4) {
            body.purpose("start the copy").cpAsync(there, here, width);
        } else {
            body.purpose("store it").store(there, body.purpose("read " + (width == 1 ? "a byte" : "two bytes"))
                    .load("some", width == 1 ? ElementType.U8 : ElementType.U16, 1, here));
        }
    }

    /** {@code copies by threads 0 to 31}. */
    @Override
    public String toString() {
        return "copies by " + threads;
    }
}

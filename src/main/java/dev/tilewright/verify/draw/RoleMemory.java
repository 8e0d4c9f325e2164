package dev.tilewright.verify.draw;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory of a kernel of roles: words that all read, words of which each thread has some of its own to write to, and
 * 16 bytes for each thread to store a piece to.
 */
final class RoleMemory {
    static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    static final Parameter.Pointer PIECES = new Parameter.Pointer("pieces", true);
    static final int WORDS = 64;
    static final int WORD = 4;
    static final int PIECE = 16;

    private final int threads;
    private final int slots;
    private final Map<String, Integer> cells = new HashMap<>();
    private final ByteBuffer in;
    private final ByteBuffer out;
    private final ByteBuffer pieces;

    RoleMemory(int threads, int slots, byte[] in, byte[] out, byte[] pieces) {
        this.threads = threads;
        this.slots = slots;
        this.in = ByteBuffer.wrap(in).order(ByteOrder.LITTLE_ENDIAN);
        this.out = ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN);
        this.pieces = ByteBuffer.wrap(pieces).order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- directly

    int word(int number) {
        return in.getInt(WORD * number);
    }

    void show(RoleThread t, int slot, int word) {
        out.putInt(WORD * ((t.block * threads + t.number) * slots + slot), word);
    }

    void storePiece(RoleThread t, int from) {
        pieces.put(PIECE * (t.block * threads + t.number), in, WORD * from, PIECE);
    }

    /** What a block has in a word of shared memory; 0 at first. */
    int cell(int block, SharedRegion.Buffer cell) {
        return cells.getOrDefault(block + cell.name(), 0);
    }

    void cell(int block, SharedRegion.Buffer cell, int word) {
        cells.put(block + cell.name(), word);
    }

    // ---- in programs

    /** A word that all read. @param number from 0 to 63 */
    static Address.Global in(Expr number) {
        return new Address.Global(IN, number.times(WORD).toS64());
    }

    /** One of a thread's own words. @param thread the thread */
    static Address.Global out(int threads, int slots, Expr thread, Expr slot) {
        return new Address.Global(OUT, Builtin.BLOCK.times(threads).plus(thread).times(slots).plus(slot).times(WORD)
                .toS64());
    }

    /** A thread's piece. */
    static Address.Global piece(int threads, Expr thread) {
        return new Address.Global(PIECES, Builtin.BLOCK.times(threads).plus(thread).times(PIECE).toS64());
    }

    /** Moves a word as it is. */
    static void move(Body body, Address from, Address to) {
        body.store(to, body.load("word", ElementType.U32, 1, from));
    }

    /** Leaves an index. */
    static void leave(Body body, Address to, Expr number) {
        Value value = number.toValue();
        body.store(to, value);
    }
}

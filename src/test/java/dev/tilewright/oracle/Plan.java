package dev.tilewright.oracle;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.memory.Ld;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** What the parts of a drawn kernel share: its size, its memory, and small steps that many of them have. */
final class Plan {
    /** Bytes that one thread moves at once. */
    static final int PIECE = 16;
    static final Expr T = Builtin.THREAD;

    final Random random;
    final int threads;
    final int cluster;
    final int blocks;
    final List<SharedRegion> regions = new ArrayList<>();
    /** What one thread of each block does at first. */
    final List<Consumer<Body>> setUp = new ArrayList<>();
    private int source;
    private int result;
    private int flags;
    private int named;

    Plan(Random random, int threads, int cluster, int blocks) {
        this.random = random;
        this.threads = threads;
        this.cluster = cluster;
        this.blocks = blocks;
    }

    int pick(int n) {
        return random.nextInt(n);
    }

    boolean maybe() {
        return random.nextBoolean();
    }

    SharedRegion.Buffer buffer(int bytes) {
        SharedRegion.Buffer b = new SharedRegion.Buffer("buffer" + named++, bytes, 16);
        regions.add(b);
        return b;
    }

    /** An array of barriers that are initialised for so many arrivals. */
    SharedRegion.Barriers barriers(int count, int arrivals) {
        SharedRegion.Barriers b = new SharedRegion.Barriers("barrier" + named++, count);
        regions.add(b);
        for (int i = 0; i < count; i++) {
            int index = i;
            setUp.add(body -> body.barrierInit(b.at(index), arrivals));
        }
        return b;
    }

    /** A part of the source for each block. @param bytes of one block */
    Expr source(int bytes) {
        int at = source;
        source += bytes * blocks;
        return Builtin.BLOCK.times(bytes).plus(at);
    }

    /** A part of the result for each block. */
    Expr result(int bytes) {
        int at = result;
        result += bytes * blocks;
        return Builtin.BLOCK.times(bytes).plus(at);
    }

    /** A word of the flags, in a cell of its own. */
    int flag() {
        int at = flags;
        flags += 16;
        return at;
    }

    boolean fits() {
        return source <= Sample.SOURCE_BYTES && result <= Sample.RESULT_BYTES && flags <= Sample.FLAG_BYTES;
    }

    static Address.Global from(Expr offset) {
        return new Address.Global(Sample.SOURCE, offset.toS64());
    }

    static Address.Global to(Expr offset) {
        return new Address.Global(Sample.RESULT, offset.toS64());
    }

    static Address.Global flagAt(int offset) {
        return new Address.Global(Sample.FLAGS, offset);
    }

    /** Copies a piece from one place to another through a register. */
    static void move(Body body, Address from, Address to) {
        Fragment piece = body.load("piece", ElementType.U32, PIECE / 4, from);
        body.store(to, piece);
    }

    /** The thread that is so many further on, around. */
    Expr neighbour(int by) {
        return T.plus(by).modulo(threads);
    }

    int tile() {
        return PIECE * threads;
    }

    /** Waits for a parity, by one of the two instructions that do. */
    void waitParity(Body body, Address.Barrier barrier, Expr parity) {
        if (pick(4) == 0) {
            body.add(new Operation.Poll(new MbarrierTestWaitParity(), List.of(Input.of(barrier), Input.of(parity)),
                    new Operation.Until.Done()));
        } else {
            body.waitParity(barrier, parity);
        }
    }

    /** Waits until a word is as wanted: by an instruction that waits, or by a loop of one of two kinds. */
    void waitUntil(Body body, Ld look, Address word, Expr wanted) {
        Consumer<Body> turn = again ->
                again.when(again.issue("seen", look, Input.of(word)).isEqualTo(wanted), Body::breakLoop);
        switch (pick(4)) {
            case 0 -> body.repeatWhile(Expr.of(0).isEqualTo(0), turn);
            case 1 -> body.loop("attempt", 0, Integer.MAX_VALUE, 1, (b, _) -> turn.accept(b));
            default -> body.waitUntil("seen", ValueType.U32, word, v -> v.isEqualTo(wanted)).order(look.order())
                    .scope(look.scope());
        }
    }

    /** Runs code once for each turn: in a loop, or written out. */
    void turns(Body body, int turns, boolean loop, Body.LoopBody code) {
        if (loop) {
            body.loop("turn", turns, code);
        } else {
            for (int i = 0; i < turns; i++) {
                int turn = i;
                code.accept(body, body.let("turn" + turn, Expr.of(turn)));
            }
        }
    }
}

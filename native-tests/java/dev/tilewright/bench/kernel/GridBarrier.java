package dev.tilewright.bench.kernel;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.memory.Ld;
import java.util.List;
import java.util.Map;

/**
 * A kernel whose blocks all meet: each writes its part of an array of words, counts itself in, waits until all have,
 * and copies the part of the block behind it. One thread of each block counts and waits, as a cooperative group of a
 * grid does: {@code __syncthreads()}, a fence, a relaxed {@code red}, relaxed loads until the count is there, a fence.
 *
 * @param blocks all of which have to find room on the GPU at once
 * @param threads of each block; every one has a word
 */
public record GridBarrier(int blocks, int threads) {
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer WORK = new Parameter.Pointer("work", true);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Pointer COUNT = new Parameter.Pointer("count", true);

    /** Bytes of each array. */
    public long arrayBytes() {
        return 4L * blocks * threads;
    }

    /** A launch: buffers 0, 1 and 2 are source, work and result; 3 is the count, four bytes that are zero. */
    public Launch launch() {
        return Launch.of(new TileProgram("grid_barrier", "all blocks of the grid meet", threads, 1,
                List.of(SOURCE, WORK, RESULT, COUNT), new SharedLayout(List.of()), Body.steps(this::write)), blocks,
                Map.of(SOURCE, new Argument.Buffer(0), WORK, new Argument.Buffer(1), RESULT, new Argument.Buffer(2),
                        COUNT, new Argument.Buffer(3)));
    }

    private void write(Body body) {
        Fragment own = body.purpose("read the part").load("own", ElementType.U32, 1, word(SOURCE, Builtin.BLOCK));
        body.purpose("write the part").store(word(WORK, Builtin.BLOCK), own);
        body.purpose("the block has written").syncThreads();
        body.purpose("one thread of the block").when(Builtin.THREAD.isEqualTo(0), one -> {
            Address.Global count = new Address.Global(COUNT, 0);
            one.purpose("release what was written").fence(Scope.GPU);
            one.purpose("the block is here").atomic(AtomicOp.ADD, count, Value.u32(1));
            one.purpose("all are here").waitUntil("here", ValueType.U32, count, here -> here.atLeast(Builtin.GRID))
                    .order(Ld.Order.RELAXED);
            one.purpose("acquire what others wrote").fence(Scope.GPU);
        });
        body.purpose("the block knows").syncThreads();
        Fragment next = body.purpose("read the next block's part").load("next", ElementType.U32, 1,
                word(WORK, Builtin.BLOCK.plus(1).modulo(Builtin.GRID)));
        body.purpose("show it").store(word(RESULT, Builtin.BLOCK), next);
    }

    private Address.Global word(Parameter.Pointer array, Expr block) {
        return new Address.Global(array, block.times(threads).plus(Builtin.THREAD).times(4).toS64());
    }
}

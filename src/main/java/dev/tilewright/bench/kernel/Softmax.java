package dev.tilewright.bench.kernel;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Map;

/**
 * The softmax of each row of an f32 matrix: a block keeps a row in its registers, from which the largest element, the
 * sum of the exponentials and the result are made without reading it again.
 *
 * @param columns of the matrix, a multiple of 4 times the threads
 * @param threads of a block, a multiple of 32
 */
public record Softmax(int columns, int threads) {
    private static final int WORDS = 4;
    private static final int MOST_WORDS = 64;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);

    public Softmax {
        if (threads < 32 || threads % 32 != 0 || columns < 1 || columns % (WORDS * threads) != 0
                || columns / threads > MOST_WORDS) {
            throw new IllegalArgumentException("a row has 4 to 64 elements for each thread, a multiple of 4, got "
                    + columns
                    + " columns for " + threads + " threads");
        }
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        BlockReduction most = new BlockReduction("largest", ValueType.F32, threads);
        BlockReduction sum = new BlockReduction("sums", ValueType.F32, threads);
        return new TileProgram("softmax", "the softmax of rows of " + columns + " f32", threads,
                List.of(SOURCE, RESULT), new SharedLayout(List.of(most.scratch(), sum.scratch())),
                Body.steps(body -> write(body, most, sum)));
    }

    /** A launch on buffers 0 (source) and 1 (result). @param rows of the matrix */
    public Launch launch(int rows) {
        return Launch.of(program(), rows, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1)));
    }

    private void write(Body body, BlockReduction most, BlockReduction sum) {
        int each = columns / threads;
        Register row = body.registers("row", ValueType.F32, each);
        Expr first = body.purpose("the thread's first byte").let("first", Builtin.BLOCK.toS64().times(columns)
                .plus(Builtin.THREAD.times(WORDS).toS64()).times(Float.BYTES));
        body.unrolled("k", each / WORDS, (b, k) -> b.load(row, k.times(WORDS), WORDS,
                new Address.Global(SOURCE, first.plus(k.times(threads * WORDS * Float.BYTES).toS64()))));
        Register own = body.variable("own", row.at(0));
        body.unrolled("k", each, (b, k) -> b.assign(own, own.get().max(row.at(k))));
        Value largest = body.purpose("the row's largest").let("all", most.reduce(body, own.get(), Value::max));
        body.assign(own, Value.f32(0));
        body.unrolled("k", each, (b, k) -> {
            b.assign(row.at(k), row.at(k).minus(largest).exp());
            b.assign(own, own.get().plus(row.at(k)));
        });
        Value total = body.purpose("the sum of the exponentials")
                .let("total", sum.reduce(body, own.get(), Value::plus));
        Value factor = body.let("factor", Value.f32(1).dividedBy(total));
        body.unrolled("k", each / WORDS, (b, k) -> {
            Expr at = k.times(WORDS);
            b.store(new Address.Global(RESULT, first.plus(k.times(threads * WORDS * Float.BYTES).toS64())),
                    row.at(at).times(factor), row.at(at.plus(1)).times(factor), row.at(at.plus(2)).times(factor),
                    row.at(at.plus(3)).times(factor));
        });
    }
}

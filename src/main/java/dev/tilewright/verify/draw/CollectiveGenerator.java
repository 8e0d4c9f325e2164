package dev.tilewright.verify.draw;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;

/** What all threads of a block do together: reductions and scans, and copies of bytes that lie anywhere. */
final class CollectiveGenerator {
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final int TURNS = 3;
    /** Integers, of which the order of sums does not matter, and floats. */
    private static final List<ValueType> TYPES = List.of(ValueType.I32, ValueType.U32, ValueType.U64, ValueType.I64,
            ValueType.U16, ValueType.I16, ValueType.U8, ValueType.I8, ValueType.F32, ValueType.F64, ValueType.F16,
            ValueType.BF16);

    private CollectiveGenerator() { }

    static Drawn make(DrawnChoices choices) {
        if (choices.flag()) {
            return copy(choices);
        }
        int threads = 32 * choices.between(1, 8);
        int turns = choices.between(1, TURNS);
        ValueType type = choices.one(TYPES);
        List<BinaryOp> ops = List.of(BinaryOp.ADD, BinaryOp.MIN, BinaryOp.MAX, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR,
                BinaryOp.XOR).stream().filter(op -> ValueMath.has(op, type)).toList();
        BinaryOp op = choices.one(ops);
        boolean scan = choices.flag();
        BinaryOperator<Value> combine = (a, b) -> new Value.Binary(op, a, b);
        Dim3 shape = BlockShapes.draw(choices, threads);
        BlockReduction block = new BlockReduction("totals", type, threads);
        TileProgram program = new TileProgram("block_" + (scan ? "scan" : "reduction"), op + " of " + type, shape,
                ClusterSize.NONE, List.of(SOURCE, RESULT), new SharedLayout(List.of(block.scratch())),
                Body.steps(body -> body.loop("turn", turns, (each, turn) -> {
                    Expr at = turn.times(threads).plus(BlockShapes.number(shape)).times(type.bytes());
                    Value own = each.load("own", type, new Address.Global(SOURCE, at));
                    each.store(new Address.Global(RESULT, at), scan ? block.scan(each, own, combine)
                            : block.reduce(each, own, combine));
                })));
        return new Drawn((scan ? "scan by " : "reduction by ") + op + " of " + type + " in " + shape.text(), program,
                launch -> {
            byte[] source = DrawnBytes.words(launch.seed(), turns * threads * type.bytes());
            byte[] result = DrawnBytes.poison(turns * threads * type.bytes());
            return new DrawnRun(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(source, result), type.isInteger()
                    ? Map.of(1, expected(source, result, type, op, scan, threads, turns)) : Map.of());
        });
    }

    /** One thread's value after the other. */
    private static byte[] expected(byte[] source, byte[] poison, ValueType type, BinaryOp op, boolean scan, int threads,
            int turns) {
        LongBinaryOperator combine = ValueMath.binary(op, type);
        ByteBuffer from = ByteBuffer.wrap(source).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer to = ByteBuffer.wrap(poison.clone()).order(ByteOrder.LITTLE_ENDIAN);
        for (int turn = 0; turn < turns; turn++) {
            List<Long> sums = new ArrayList<>();
            for (int i = turn * threads; i < (turn + 1) * threads; i++) {
                long own = ValuePrograms.get(from, i * type.bytes(), type);
                sums.add(sums.isEmpty() ? own : combine.applyAsLong(sums.getLast(), own));
            }
            for (int i = 0; i < threads; i++) {
                ValuePrograms.put(to, (turn * threads + i) * type.bytes(), type, scan ? sums.get(i) : sums.getLast());
            }
        }
        return to.array();
    }

    private static Drawn copy(DrawnChoices choices) {
        CopyKernels.Copies copies = CopyKernels.draw(choices, 1 << choices.below(5));
        return new Drawn(copies.toString(), copies.launch().program(), launch -> {
            byte[] source = copies.source(launch.seed());
            return new DrawnRun(copies.launch(), List.of(source, DrawnBytes.poison(copies.resultBytes())),
                    Map.of(1, copies.expected(source)));
        });
    }
}

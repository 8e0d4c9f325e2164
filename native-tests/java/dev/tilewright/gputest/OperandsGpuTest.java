package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.memory.Red;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program gives to operands is what instructions take. */
@OnEveryStage
record OperandsGpuTest(Stage stage) {
    private static final int THREADS = 64;
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer TABLE = new SharedRegion.Buffer("table", 8 * THREADS, 8);

    /** The bytes that a kernel leaves. */
    private byte[] run(byte[] in, Consumer<Body> code) {
        TileProgram program = new TileProgram("operands", "takes them", THREADS, List.of(IN, OUT),
                new SharedLayout(List.of(TABLE)), Body.steps(code));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment left = arena.allocate(in.length, 64);
            stage.device(Target.SM_80).run(Launch.of(program, 1, Map.of(IN, new Argument.Buffer(0), OUT,
                    new Argument.Buffer(1))), List.of(arena.allocate(in.length, 64)
                            .copyFrom(MemorySegment.ofArray(in)), left));
            return left.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Each thread's own element. */
    private static Address.Global at(Parameter.Pointer array, ValueType type) {
        return new Address.Global(array, Builtin.THREAD.times(type.bytes()));
    }

    /** Numbers small enough for every type, as words of it. */
    private static long[] words(ValueType type) {
        return new Random(type.ordinal()).ints(THREADS, 1, 1000).mapToLong(n -> switch (type) {
            case F32 -> Float.floatToRawIntBits(n / 8f);
            case F64 -> Double.doubleToRawLongBits(n / 8d);
            default -> n;
        }).toArray();
    }

    private static byte[] bytes(ValueType type, long[] words) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[type.bytes() * words.length]);
        for (int i = 0; i < words.length; i++) {
            if (type.bytes() == Integer.BYTES) {
                bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * i, (int) words[i]);
            } else {
                bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, words[i]);
            }
        }
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Each thread finds an element by an address that it chooses, and one by an address that lies in memory. */
    @ParameterizedTest
    @EnumSource(value = ValueType.class, names = {"I32", "U64", "F32", "F64"})
    void anAddressThatTheKernelFoundIsOne(ValueType type) {
        long[] words = words(type);
        long[] expected = new long[THREADS];
        for (int i = 0; i < THREADS; i++) {
            expected[i] = words[i % 2 == 0 ? i : THREADS - 1 - i];
        }
        assertArrayEquals(bytes(type, expected), run(bytes(type, words), body -> {
            Expr opposite = Expr.of(THREADS - 1).minus(Builtin.THREAD);
            Expr from = Builtin.THREAD.modulo(2).isEqualTo(0).choose(Builtin.THREAD, opposite);
            Value mine = body.load("mine", type,
                    new Address.Pointed(IN.deviceAddress().plus(from.times(type.bytes()).toS64())));
            Address.Shared table = TABLE.at(Builtin.THREAD.times(Long.BYTES));
            body.store(table, OUT.deviceAddress().plus(opposite.times(type.bytes()).toS64()).toValue());
            body.syncThreads();
            Expr to = body.load("to", ValueType.I64, TABLE.at(opposite.times(Long.BYTES))).toIndex();
            body.store(new Address.Pointed(to), mine);
        }));
    }

    /** Each thread adds its value to zero. */
    @ParameterizedTest
    @EnumSource(value = ValueType.class, names = {"I32", "U32", "U64", "F32", "F64"})
    void aValueIsTakenByItsBits(ValueType type) {
        long[] words = words(type);
        Red add = Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.of(type.element().orElseThrow()));
        assertArrayEquals(bytes(type, words), run(bytes(type, words), body -> {
            Value mine = body.load("mine", type, at(IN, type));
            body.issue(add, Input.of(at(OUT, type)), Input.of(mine));
        }));
    }
}

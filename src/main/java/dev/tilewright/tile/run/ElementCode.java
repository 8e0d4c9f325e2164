package dev.tilewright.tile.run;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** A function of elements as a list of operations, each of which goes over a run of elements at a time. */
final class ElementCode {
    /** Elements of a run: what stays in the first cache of a core. */
    static final int RUN = 512;

    /** One operation. */
    private interface Operation {
        void apply(Elements[] registers, int n);
    }

    private final List<Operation> operations = new ArrayList<>();
    private final List<ValueType> types = new ArrayList<>();
    /** Values that are the same at all elements, by their register. */
    private final Map<Integer, Value> uniform = new HashMap<>();
    private final Map<Value, Integer> leaves = new HashMap<>();
    private final int result;

    /** @param parameters stand for registers 0, 1, … */
    ElementCode(List<Register> parameters, Value value) {
        Map<Register, Integer> known = new HashMap<>();
        parameters.forEach(parameter -> known.put(parameter, register(parameter.type())));
        result = of(value, known);
    }

    int result() {
        return result;
    }

    /** Whether it is one of its parameters, as it stands. */
    boolean isMove() {
        return operations.isEmpty() && uniform.isEmpty();
    }

    /** Of how many operations it is. */
    int size() {
        return operations.size();
    }

    /** Registers of n elements, or of none where others will stand instead. */
    Elements[] registers(int n, IntPredicate replaced) {
        return IntStream.range(0, types.size()).mapToObj(i -> new Elements(types.get(i), replaced.test(i) ? 0 : n))
                .toArray(Elements[]::new);
    }

    /** Fills in what is the same at all elements of a tile, unless it is there from the tile before. */
    void begin(Elements[] registers, ToLongFunction<Value> words) {
        uniform.forEach((register, value) -> {
            long word = words.applyAsLong(value);
            Elements elements = registers[register];
            if (elements.count() > 0 && elements.word(0) != word) {
                elements.fill(0, elements.count(), word);
            }
        });
    }

    void apply(Elements[] registers, int n) {
        for (int i = 0; i < operations.size(); i++) {
            operations.get(i).apply(registers, n);
        }
    }

    private int register(ValueType type) {
        types.add(type);
        return types.size() - 1;
    }

    private int of(Value value, Map<Register, Integer> known) {
        return switch (value) {
            case Value.Const _, Value.Index _, Value.Scalar _ -> leaves.computeIfAbsent(value, leaf -> {
                int register = register(leaf.type());
                uniform.put(register, leaf);
                return register;
            });
            case Value.Element(Register register, Expr _) -> {
                Integer place = known.get(register);
                if (place == null) {
                    throw new IllegalArgumentException("'" + register.name() + "' is no element that this function is "
                            + "given");
                }
                yield place;
            }
            case Value.Unary v -> {
                int a = of(v.value(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.unary(v.op(), r[a], o, n));
            }
            case Value.Binary v -> {
                int a = of(v.left(), known);
                int b = of(v.right(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.binary(v.op(), r[a], r[b], o, n));
            }
            case Value.Fma v -> {
                int a = of(v.a(), known);
                int b = of(v.b(), known);
                int c = of(v.c(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.fma(r[a], r[b], r[c], o, n));
            }
            case Value.Compare v -> {
                int a = of(v.left(), known);
                int b = of(v.right(), known);
                yield add(ValueType.PRED, (r, o, n) -> ArrayMath.compare(v.comparison(), r[a], r[b], o, n));
            }
            case Value.Select v -> {
                int condition = of(v.condition(), known);
                int yes = of(v.yes(), known);
                int no = of(v.no(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.select(r[condition], r[yes], r[no], o, n));
            }
            case Value.Convert v -> {
                int a = of(v.value(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.convert(v.conversion(), r[a], o, n));
            }
            case Value.BitCast v -> {
                int a = of(v.value(), known);
                yield add(v.type(), (r, o, n) -> ArrayMath.bitCast(r[a], o, n));
            }
            case Value.Compound v -> {
                int[] parts = v.parts().stream().mapToInt(part -> of(part, known)).toArray();
                yield add(v.type(), (r, o, n) -> words(v, parts, r, o, n));
            }
            case Value.Call v -> call(v, known);
            case Value.Approximate v -> throw new IllegalArgumentException(v.op() + " has not the same bits "
                    + "everywhere: use an exact function of values");
        };
    }

    /** What has no loop of its own, word by word. */
    private static void words(Value.Compound value, int[] parts, Elements[] registers, Elements out, int n) {
        long[] words = new long[parts.length];
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < parts.length; i++) {
                words[i] = registers[parts[i]].settle(n).word(k);
            }
            out.setWord(k, value.word(words));
        }
    }

    /** The function's own operations instead of the call. */
    private int call(Value.Call v, Map<Register, Integer> known) {
        ValueFunction function = v.function();
        Map<Register, Integer> inner = new HashMap<>();
        for (int i = 0; i < function.parameters().size(); i++) {
            inner.put(function.parameters().get(i), of(v.arguments().get(i), known));
        }
        function.lets().forEach(let -> inner.put(let.register(), of(let.value(), inner)));
        return of(function.result(), inner);
    }

    /** Computes a run of a register's elements. */
    private interface Computation {
        void apply(Elements[] registers, Elements out, int n);
    }

    private int add(ValueType type, Computation computation) {
        int register = register(type);
        operations.add((registers, n) -> computation.apply(registers, registers[register], n));
        return register;
    }
}

package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The part of every kernel that touches elements: read, apply the step, write. Places and sizes are in bytes of a
 * source; the result's follow from them.
 */
final class ElementwiseStep {
    /** Bytes of the widest access. */
    static final int WIDEST = 16;

    private final ElementType type;
    private final ElementType resultType;
    private final int inputs;
    private final ElementStep.Typed step;
    private final boolean keepsBits;

    ElementwiseStep(ElementStep step, ElementType type, ElementType resultType, ElementStep.Typed typed) {
        this.type = type;
        this.resultType = resultType;
        this.inputs = step.inputs();
        this.step = typed;
        this.keepsBits = step.keepsBits(type, resultType);
    }

    /** Bytes of a source whose elements one access can read and one can write, at most {@code bytes}. */
    int chunk(int most) {
        return Math.min(most, WIDEST * type.bytes() / Math.max(type.bytes(), resultType.bytes()));
    }

    /** A size or an offset in the result, where this is the one in a source. */
    Expr inResult(Expr bytes) {
        int from = type.bytes();
        int to = resultType.bytes();
        return from == to ? bytes : from < to ? bytes.times(to / from) : bytes.dividedBy(from / to);
    }

    /** Elements in registers, of each source: packed where nothing is computed. */
    sealed interface Chunk {
        record Packed(Fragment fragment) implements Chunk { }

        record Elements(List<Register> registers) implements Chunk { }
    }

    /** Moves {@code bytes} bytes (at most 16, a multiple of the element) from each source. */
    void move(Body body, String name, int bytes, List<? extends Address> from, Address to) {
        write(body, read(body, name, bytes, from), to);
    }

    /**
     * The first half of {@link #move}: a kernel that reads several times before it writes has more under way at once.
     */
    Chunk read(Body body, String name, int bytes, List<? extends Address> from) {
        if (keepsBits) {
            boolean words = bytes % 4 == 0;
            return new Chunk.Packed(body.purpose("read " + bytes + " bytes").load(name, words ? ElementType.U32 : type,
                    bytes / (words ? 4 : type.bytes()), from.getFirst()));
        }
        List<Register> registers = new ArrayList<>();
        for (int i = 0; i < inputs; i++) {
            Register register = body.purpose("read " + bytes + " bytes").registers(inputs == 1 ? name : name + "_" + i,
                    ValueType.of(type), bytes / type.bytes());
            body.load(register, from.get(i));
            registers.add(register);
        }
        return new Chunk.Elements(registers);
    }

    /** The second half: applies the step and writes, by several accesses where the result's elements are wider. */
    void write(Body body, Chunk chunk, Address to) {
        switch (chunk) {
            case Chunk.Packed(Fragment f) -> body.purpose("write them").store(to, f);
            case Chunk.Elements(List<Register> registers) -> {
                List<Value> results = IntStream.range(0, registers.getFirst().count())
                        .mapToObj(k -> step.of(registers.stream().map(r -> r.at(k)).toList())).toList();
                int together = WIDEST / resultType.bytes();
                for (int k = 0; k < results.size(); k += together) {
                    body.purpose("write the step's result").store(after(to, k * resultType.bytes()),
                            results.subList(k, Math.min(k + together, results.size())));
                }
            }
        }
    }

    private static Address after(Address place, int bytes) {
        return bytes == 0 ? place : switch (place) {
            case Address.Shared s -> new Address.Shared(s.buffer(), s.byteOffset().plus(bytes));
            case Address.Global g -> new Address.Global(g.pointer(), g.byteOffset().plus(bytes));
            default ->
                    throw new IllegalArgumentException("a result goes to shared or global memory, got " + place);
        };
    }

    /** Moves {@code bytes} bytes one element at a time. @param bytes an expression, a multiple of the element */
    void moveSome(Body body, String name, Expr bytes, Function<Expr, List<? extends Address>> from,
            Function<Expr, Address> to) {
        body.purpose("one element at a time, up to the array's end")
                .loop(name + "_at", 0, bytes, type.bytes(),
                (each, at) -> move(each, name, type.bytes(), from.apply(at), to.apply(inResult(at))));
    }

    /**
     * The last few bytes of an array, which bulk copies leave over because they move multiples of 16: one element for
     * each of the first threads of the first block, by ordinary loads and stores.
     *
     * @param begin where they begin, in bytes
     * @param end where the array ends, in bytes
     */
    void tail(Body body, List<Parameter.Pointer> sources, Parameter.Pointer result, Expr begin, Expr end) {
        Expr at = begin.plus(Expr.Builtin.THREAD.times(type.bytes()));
        body.purpose("the array's last bytes, too few for a bulk copy: one element for each of the first threads")
                .when(Expr.Builtin.BLOCK.isEqualTo(0).and(at.lessThan(end)),
                b -> move(b, "last_element", type.bytes(), global(sources, at),
                        new Address.Global(result, inResult(at))));
    }

    /** The address of one byte in each source. */
    static List<Address.Global> global(List<Parameter.Pointer> sources, Expr at) {
        return sources.stream().map(s -> new Address.Global(s, at)).toList();
    }
}

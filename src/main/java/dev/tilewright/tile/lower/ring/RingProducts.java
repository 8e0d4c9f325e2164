package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.lower.layout.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The products of a turn: of each step along k, what threads read of all factors, those in common once, and the
 * instructions, each sum's with k ascending.
 *
 * @param reads how each factor is read
 * @param parts of each product
 */
record RingProducts(List<RingReads> reads, List<Part> parts) {

    /** A product. @param a which of the factors that are read @param b the other */
    private record Part(RingProduct product, MmaSync form, Register sums, int a, int b) {
        /** Sums of a thread in an instruction. */
        int each() {
            return form.shape() == MmaShape.M8N8K4 ? 2 : 4;
        }
    }

    /** @param body where threads find out what they read @param sums of each product */
    static RingProducts of(Body body, RingPattern pattern, List<Held> sums, Function<RingProduct, MmaTypes> types) {
        List<RingReads> reads = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < sums.size(); i++) {
            RingProduct product = pattern.products().get(i);
            Held held = sums.get(i);
            int a = number(body, reads, product.a(), true, held, pattern);
            int b = number(body, reads, product.b(), false, held, pattern);
            parts.add(new Part(product, new MmaSync(product.shape(), types.apply(product)), held.register(), a, b));
        }
        return new RingProducts(List.copyOf(reads), List.copyOf(parts));
    }

    /** Products that read the same factor hold their sums alike, so that they take the same of it. */
    private static int number(Body body, List<RingReads> reads, RingFactor factor, boolean left, Held sums,
            RingPattern pattern) {
        for (int i = 0; i < reads.size(); i++) {
            if (reads.get(i).isOf(factor, left, sums.layout())) {
                return i;
            }
        }
        reads.add(RingReads.of(body, factor, left, sums.layout(), pattern.offset(factor)));
        return reads.size() - 1;
    }

    /** Instructions along k. */
    int steps() {
        return parts.getFirst().product.steps();
    }

    /** Whether a turn's first step is read where its last was: steps are odd in number. */
    boolean isOneBuffer() {
        return steps() % 2 != 0;
    }

    /** Registers for what threads read. */
    Operands operands(Body body) {
        return new Operands(this, reads.stream().map(read -> body.purpose("the thread's part of '"
                + read.factor().load().tensor().name() + "'").registers(read.left() ? "a" : "b", read.word(),
                Math.min(2, steps()) * read.registers())).toList());
    }

    /** What threads have of the factors: of even steps, and behind it of odd ones. */
    record Operands(RingProducts products, List<Register> registers) {

        void read(Body body, Landed stage, int step) {
            for (int i = 0; i < registers.size(); i++) {
                RingReads read = products.reads.get(i);
                read.read(body, stage, step, registers.get(i), step % 2 * read.registers());
            }
        }

        void multiply(Body body, int step) {
            for (Part part : products.parts) {
                RingReads a = products.reads.get(part.a);
                RingReads b = products.reads.get(part.b);
                body.purpose("sums += A B").unrolled("down", a.count(), (d, down) -> d.unrolled("across", b.count(),
                        (c, across) -> {
                            Expr sum = down.times(b.count()).plus(across).times(part.each());
                            c.issue(part.form, Input.of(part.sums, sum), Input.of(registers.get(part.a), down.times(
                                    a.each()).plus(step % 2 * a.registers())), Input.of(registers.get(part.b),
                                    across.times(b.each()).plus(step % 2 * b.registers())), Input.of(part.sums, sum));
                        }));
            }
        }
    }
}

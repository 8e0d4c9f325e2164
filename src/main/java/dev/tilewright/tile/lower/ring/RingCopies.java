package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The copies of a factor by all threads: neighbouring threads copy neighbours of a row. What lies outside of the
 * tensor, or of the tile, is filled with zeros.
 *
 * @param threads of the block
 * @param offset of the factor in a stage
 */
record RingCopies(RingFactor factor, int threads, int offset) {
    private static final Conversion TO_TF32 = new Conversion(ValueType.F32, ValueType.TF32, Rounding.NEAREST_EVEN,
            false);

    /** Copies that a row takes. */
    private int units() {
        return factor.pitch() / factor.copied();
    }

    private int all() {
        return factor.rows() * units();
    }

    private Expr row(Expr number) {
        return units() <= threads ? Builtin.THREAD.dividedBy(units()).plus(number.times(threads / units()))
                : number.dividedBy(units() / threads);
    }

    private Expr unit(Expr number) {
        return units() <= threads ? Builtin.THREAD.modulo(units()) : Builtin.THREAD.plus(number.modulo(units()
                / threads).times(threads));
    }

    /** Starts a thread's copies of a turn. */
    void start(Body body, Filling stage, RingSources sources) {
        own(body, some -> copies(some, stage, sources));
    }

    /** Whether instructions take the elements otherwise than they are in memory: as tf32. */
    boolean isRounded() {
        return factor.factor().type() == ValueType.TF32;
    }

    /** Rounds to tf32 what a thread has copied of a turn. */
    void round(Body body, Landed stage) {
        own(body, some -> rounded(some, stage));
    }

    private void own(Body body, Consumer<Body> code) {
        if (all() < threads) {
            body.purpose("threads that have a part of '" + factor.load().tensor().name() + "'")
                    .when(Builtin.THREAD.lessThan(all()), code);
        } else {
            code.accept(body);
        }
    }

    private void rounded(Body body, Landed stage) {
        int width = factor.copied() / Float.BYTES;
        body.purpose("round to tf32 what it copied").unrolled("r", Math.max(1, all() / threads), (b, number) -> {
            Address.Shared place = stage.at(place(number));
            Register elements = b.registers("elements", ValueType.F32, width);
            b.load(elements, place);
            b.store(place, IntStream.range(0, width).<Value>mapToObj(i -> new Value.Convert(elements.at(i), TO_TF32)
                    .bitCast(ValueType.U32)).toList());
        });
    }

    private Expr place(Expr number) {
        return factor.place(row(number), unit(number).times(factor.copied())).plus(offset);
    }

    private void copies(Body body, Filling stage, RingSources sources) {
        Tensor tensor = factor.load().tensor();
        List<Axis> axes = factor.load().axes();
        int outer = factor.outer();
        int last = axes.size() - 1;
        Expr top = body.purpose("the first row of '" + tensor.name() + "'").let("top", start(sources, outer));
        Expr left = body.purpose("and the first element of it").let("left", start(sources, last));
        Expr others = Expr.of(0L);
        Expr there = null;
        for (int i = 0; i < last; i++) {
            if (i != outer) {
                Expr at = start(sources, i);
                others = others.plus(at.times(sources.stride(tensor, i)));
                Expr within = Bounds.notBelow(at.lessThan(length(sources, i)), ((Span) axes.get(i)).start(), at);
                there = there == null ? within : there.and(within);
            }
        }
        Expr rows = length(sources, outer).minus(top).min(factor.height()).max(0);
        Expr limit = body.purpose("rows that there are").let("limit", (there == null ? rows
                : there.choose(rows, Expr.of(0L))).as(IntType.S32));
        Expr width = body.purpose("elements of each that there are").let("width",
                length(sources, last).minus(left).min(factor.width()).max(0).as(IntType.S32));
        Expr stride = sources.stride(tensor, outer);
        Expr from = body.let("from", others.plus(top.times(stride)).plus(left));
        Registers.each(body, Math.max(1, all() / threads), (each, number) -> {
            Expr row = row(number);
            Expr element = unit(number).times(factor.copied() / tensor.type().bytes());
            Expr inside = element.lessThan(width).and(row.lessThan(limit));
            inside = Bounds.notBelow(inside, ((Span) axes.get(last)).start(), left.plus(element.toS64()));
            inside = Bounds.notBelow(inside, ((Span) axes.get(outer)).start(), top.plus(row.toS64()));
            each.cpAsync(stage.at(place(number)),
                    new Address.Global(sources.pointer(tensor), from.plus(row.toS64().times(stride))
                            .plus(element.toS64()).times(tensor.type().bytes())), factor.copied())
                    .sourceBytes(inside.choose(factor.copied(), 0));
        });
    }

    private Expr start(RingSources sources, int axis) {
        return sources.of(((Span) factor.load().axes().get(axis)).start());
    }

    private Expr length(RingSources sources, int dimension) {
        return sources.of(factor.load().tensor().dims().get(dimension).value());
    }
}

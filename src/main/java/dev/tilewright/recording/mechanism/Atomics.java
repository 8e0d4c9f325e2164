package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * {@code atomic}: an atomic operation or reduction by each of 32 threads on a word of its own, in global or in shared
 * memory: the old word, where the instruction hands it out, and the new one.
 */
final class Atomics extends FormMechanism<ScopedAccess> {
    private static final int THREADS = 32;
    /** Each thread's old word, operand and replacement, 8 bytes each. */
    private static final int EACH = 24;
    private static final SharedRegion.Buffer WORDS = new SharedRegion.Buffer("words", 8 * THREADS, 8);

    Atomics() {
        super("atomic", forms());
    }

    private static List<ScopedAccess> forms() {
        Set<Space> spaces = Set.of(Space.GLOBAL, Space.SHARED_CTA);
        List<ScopedAccess> forms = new ArrayList<>();
        Catalogue.forms(Atom.class).filter(f -> f.order() == Atom.Order.RELAXED && f.scope() == Scope.GPU
                && spaces.contains(f.space()) && f.type().bits() >= 32 && f.type().bits() <= 64).forEach(forms::add);
        Catalogue.forms(Red.class).filter(f -> f.order() == Red.Order.RELAXED && f.scope() == Scope.GPU
                && spaces.contains(f.space()) && f.type().bits() >= 32 && f.type().bits() <= 64).forEach(forms::add);
        return forms;
    }

    @Override
    Experiment experiment(ScopedAccess form, TileProgram program, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] in = new byte[EACH * THREADS];
        for (int at = 0; at < in.length; at += 8) {
            byte[] one = ExtremeElements.elements(type(form), random, 8);
            System.arraycopy(one, 0, in, at, 8);
            // Compared words are equal half of the time, and of counters that wrap one is often at its end.
            if (at % EACH == 8 && random.nextInt(2) == 0) {
                System.arraycopy(in, at - 8, in, at, 8);
            }
        }
        return Experiment.of(program, 1, Experiment.Content.of(in), Experiment.Content.fresh(EACH * THREADS));
    }

    /** All of f64, whose NaNs keep a payload that the order of operands decides. */
    @Override
    public int bytesKept(ObjectNode row) {
        return row.path("form").asText().endsWith(".f64") ? EACH * THREADS : BYTES_KEPT;
    }

    private static DataType type(ScopedAccess form) {
        return form instanceof Atom a ? a.type() : ((Red) form).type();
    }

    /** Each thread's place of the result: the word that is changed, the old one, the new one. */
    @Override
    TileProgram program(ScopedAccess form) {
        Space space = form instanceof Atom a ? a.space() : ((Red) form).space();
        DataType bits = type(form).bits() == 32 ? DataType.B32 : DataType.B64;
        Expr from = Steps.THREAD.times(EACH);
        Expr to = Steps.THREAD.times(EACH);
        Address at = space == Space.GLOBAL ? Steps.out(to) : WORDS.at(Steps.THREAD.times(8));
        Ld load = Ld.relaxed(Scope.GPU, Space.GLOBAL, bits);
        St show = St.relaxed(Scope.GPU, Space.GLOBAL, bits);
        return new TileProgram("record_atomic", "changes words", THREADS, List.of(Steps.IN, Steps.OUT),
                new SharedLayout(List.of(WORDS)), Body.steps(body -> {
                    Expr before = body.issue("before", load, Input.of(Steps.in(from)));
                    Expr value = body.issue("value", load, Input.of(Steps.in(from.plus(8))));
                    Expr other = body.issue("other", load, Input.of(Steps.in(from.plus(16))));
                    body.purpose("put it there").issue(St.relaxed(Scope.GPU, space, bits), Input.of(at),
                            Input.of(before));
                    switch (form) {
                        case Atom atom -> body.purpose("the old word").issue(show, Input.of(Steps.out(to.plus(8))),
                                Input.of(atom.op() == AtomicOp.CAS
                                        ? body.issue("old", form, Input.of(at), Input.of(value), Input.of(other))
                                        : body.issue("old", form, Input.of(at), Input.of(value))));
                        default -> body.purpose("change it").issue(form, Input.of(at), Input.of(value));
                    }
                    Expr after = body.issue("after", Ld.relaxed(Scope.GPU, space, bits), Input.of(at));
                    body.purpose("the new word").issue(show, Input.of(Steps.out(to.plus(16))), Input.of(after));
                }));
    }
}

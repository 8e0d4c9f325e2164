package dev.tilewright.ptx;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What a record says, kept for a while: it is asked for at every step of a program, again and again, and takes
 * microseconds to put together. The number of places is fixed: a later record replaces an earlier one.
 */
record KnownForm(PtxInstruction of, Form form, String opcode, List<Operand> inputs, List<Operand> results) {
    private static final int PLACES = 1 << 15;
    private static final AtomicReferenceArray<KnownForm> KNOWN = new AtomicReferenceArray<>(PLACES);

    static KnownForm of(PtxInstruction instruction) {
        int hash = 31 * instruction.getClass().hashCode() + instruction.hashCode();
        int place = (hash ^ hash >>> 10 ^ hash >>> 20) & PLACES - 1;
        KnownForm known = KNOWN.get(place);
        if (known == null || !known.of.equals(instruction)) {
            Form form = instruction.form();
            known = new KnownForm(instruction, form, form.opcode(),
                    form.operands().stream().filter(o -> !o.kind().isOutput()).toList(),
                    form.operands().stream().filter(o -> o.kind().isOutput()).toList());
            KNOWN.set(place, known);
        }
        return known;
    }
}

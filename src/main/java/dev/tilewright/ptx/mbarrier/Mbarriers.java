package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;

/** The forms of tests, which differ by a word. */
final class Mbarriers {
    static final Operand TOKEN = Operands.of("token", Operand.Kind.TOKEN);
    static final Operand PARITY = Operands.of("parity", Operand.Kind.U32);

    private Mbarriers() { }

    /** @param phase the operand that names the phase @param limited whether a limit for the suspension follows */
    static Form wait(String opcode, MbarrierWait wait, Operand phase, boolean limited, Gate gate) {
        return FormBuilder.form(opcode).with(wait.order()).with(wait.space()).with(".b64")
                .operand("done", Operand.Kind.PREDICATE_OUT)
                .operand(Operands.source(wait.space(), "mbar")).operand(phase)
                .operandIf(limited, "time_limit", Operand.Kind.U32)
                .named(opcode.replace('.', '_') + wait.order().suffix() + Ptx.suffix(wait.space())
                        + (limited ? "_limited" : ""))
                .needs(gate.and(wait.order().gate()).and(Gates.of(wait.space())),
                        EffectsBuilder.of(Completion.AT_ONCE, reads("mbar", Proxy.GENERIC, bytes(8)))
                        .ordered(wait.order().semantics(), wait.order().scope()));
    }
}

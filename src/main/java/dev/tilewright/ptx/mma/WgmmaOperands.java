package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.Effects.Access;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Operands;

/** What all products of a warpgroup write in the same way. */
final class WgmmaOperands {
    private static final int THREADS = 128;
    private static final String A = "a_desc";
    private static final String B = "b_desc";

    private WgmmaOperands() { }

    /** D, A, B, and whether D is added to. */
    static FormBuilder add(FormBuilder text, Wgmma form) {
        MmaTypes types = form.types();
        MmaType d = types.d();
        text.registers(Operands.updated("d", d.registers(), d.registers(form.m() * form.n(), THREADS)));
        if (form.registersA()) {
            int registers = types.a().registers(form.m() * form.k(), THREADS);
            text.registers(Operands.read("a", types.a().registers(), registers));
        } else {
            text.operand(A, Operand.Kind.U64);
        }
        return text.operand(B, Operand.Kind.U64).operand("scale_d", Operand.Kind.PREDICATE);
    }

    static EffectsBuilder effects(Wgmma form) {
        Access b = EffectsBuilder.reads(B, Proxy.ASYNC, EffectsBuilder.matrix());
        return form.registersA() ? EffectsBuilder.of(Completion.WGMMA_GROUP, b)
                : EffectsBuilder.of(Completion.WGMMA_GROUP,
                EffectsBuilder.reads(A, Proxy.ASYNC, EffectsBuilder.matrix()), b);
    }

    static String functionName(Wgmma form) {
        MmaTypes types = form.types();
        return "wgmma_m" + form.m() + "n" + form.n() + "k" + form.k() + "_" + types.d() + "_" + types.a() + "_"
                + types.b() + (form.registersA() ? "_registers_a" : "");
    }
}

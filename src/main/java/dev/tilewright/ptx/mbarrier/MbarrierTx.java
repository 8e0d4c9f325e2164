package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import java.util.List;

/** Changes the bytes that a phase of an mbarrier waits for, without an arrival. */
public sealed interface MbarrierTx extends MbarrierInstruction permits MbarrierCompleteTx, MbarrierExpectTx {

    /** What is written about order; all mean relaxed. */
    TxOrder order();

    /** Where the barrier is. */
    Space space();

    /** This form with another order. */
    MbarrierTx withOrder(TxOrder order);

    /** At a barrier in this space. */
    MbarrierTx withSpace(Space space);

    @Override
    default Form form() {
        return FormBuilder.form(section()).with(order()).with(space()).with(".b64")
                .operand(Operands.destination(space(), "mbar")).operand(Ptx.BYTES)
                .named(section().replace('.', '_') + order().suffix() + Ptx.suffix(space()))
                .needs(Gates.HOPPER.and(Gates.of(space())),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                        .ordered(order().semantics(), order().scope()));
    }

    @Override
    default List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space(), this::withSpace);
    }
}

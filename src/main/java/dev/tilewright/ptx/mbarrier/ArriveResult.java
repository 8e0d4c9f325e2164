package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** Whether an arrival hands out the token of the phase that it arrived in. */
public enum ArriveResult {
    /** The arrival gives a token. */
    TOKEN,
    /** The arrival gives no token: the sink {@code _} stands in the token's place. */
    SINK;

    FormBuilder first(FormBuilder form) {
        return this == TOKEN ? form.operand("token", Operand.Kind.TOKEN_OUT) : form.literal("_");
    }

    /** The sink came later than the token, for both kinds of arrival where the ISA does not say otherwise. */
    Gate gate(ArriveOp kind) {
        return this == SINK && kind == ArriveOp.ARRIVE ? Gates.ARRIVE_SINK : Gates.AMPERE;
    }

    void require(String instruction, Space space, Class<? extends PtxInstruction> of) {
        if (this == TOKEN && space == Space.SHARED_CLUSTER) {
            throw new IllegalFormException(instruction
                    + " in .shared::cluster hands out no token: the sink _ stands in its place",
                    of);
        }
    }

    /** This, or the sink where a barrier in that space hands out nothing else. */
    ArriveResult where(Space space) {
        return space == Space.SHARED_CLUSTER ? SINK : this;
    }

    String suffix() {
        return this == TOKEN ? "" : "_sink";
    }
}

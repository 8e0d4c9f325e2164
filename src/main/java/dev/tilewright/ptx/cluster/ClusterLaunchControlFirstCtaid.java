package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code clusterlaunchcontrol.query_cancel.get_first_ctaid}: the first block of the cancelled cluster. Inputs, in
 * order: {@code answer}. Results: {@code [x], [y], [z], [unused]}.
 *
 * @param part which coordinates of it
 */
@About(section = "clusterlaunchcontrol.query_cancel", role = StepRole.OTHER,
        summary = "the first block of the cancelled cluster")
public record ClusterLaunchControlFirstCtaid(Part part) implements ClusterInstruction {
    public ClusterLaunchControlFirstCtaid {
        Objects.requireNonNull(part, "part");
    }

    /** Which part of the answer is returned. */
    public enum Part {
        X, Y, Z,
        /** Three coordinates and a fourth register that means nothing. */
        V4,
        /** Three coordinates; the sink _ stands in the fourth place. */
        V4_SINK
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("clusterlaunchcontrol.query_cancel.get_first_ctaid");
        List<Operand> coordinates = List.of(Operands.of("x", Operand.Kind.U32_OUT),
                Operands.of("y", Operand.Kind.U32_OUT),
                Operands.of("z", Operand.Kind.U32_OUT), Operands.of("unused", Operand.Kind.U32_OUT));
        switch (part) {
            case X, Y, Z -> form.with("::" + part.name().toLowerCase(Locale.ROOT) + ".b32.b128")
                    .operand(coordinates.get(part.ordinal()));
            case V4 -> form.with(".v4.b32.b128").vector(coordinates);
            case V4_SINK -> form.with(".v4.b32.b128").mixed("{%x%, %y%, %z%, _}", coordinates.subList(0, 3));
        }
        return form.operand("answer", Operand.Kind.U128)
                .nameSuffix(part == Part.V4_SINK, "_sink").needs(Gates.BLACKWELL);
    }

    /** The instruction runs by its documents. */
    @Override
    public Evidence evidence() {
        return Evidence.DOCUMENTED;
    }
}

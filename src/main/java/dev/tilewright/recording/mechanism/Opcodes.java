package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;

/** Forms of instructions by their opcode, which is what rows name them by. */
final class Opcodes {
    private Opcodes() {
    }

    /** The form whose opcode is in field {@code form}. @throws dev.tilewright.BadRequestException if none has it */
    static <F extends PtxInstruction> F named(Fields row, List<F> forms) {
        String opcode = row.text("form");
        return forms.stream().filter(f -> f.opcode().equals(opcode)).findFirst()
                .orElseThrow(() -> JsonFields.wrong("form", "an instruction of this kind", opcode));
    }
}

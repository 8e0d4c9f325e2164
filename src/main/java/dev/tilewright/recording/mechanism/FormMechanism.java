package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A mechanism whose rows are a form of an instruction, by its opcode, and the seed of the words that it is tried on.
 */
abstract class FormMechanism<F extends PtxInstruction> implements RecordedMechanism {
    private static final int SEEDS = 1 << 20;

    private final String kind;
    private final List<F> forms;
    private final ProgramCache<F> programs = new ProgramCache<>(this::program);

    /** @param forms all that there are, taken in turn */
    FormMechanism(String kind, List<F> forms) {
        this.kind = kind;
        this.forms = List.copyOf(forms);
    }

    @Override
    public final String kind() {
        return kind;
    }

    @Override
    public final void draw(ObjectNode row, SplittableRandom random, int index) {
        row.put("form", forms.get(index % forms.size()).opcode()).put("seed", random.nextInt(SEEDS));
    }

    @Override
    public final Experiment experiment(JsonFields row) {
        String opcode = row.text("form");
        F form = forms.stream().filter(f -> f.opcode().equals(opcode)).findFirst()
                .orElseThrow(() -> JsonFields.wrong("form", "an instruction of this kind", opcode));
        return experiment(form, programOf(form), row.integer("seed"));
    }

    /** The form's kernel, made once. */
    final TileProgram programOf(F form) {
        return programs.of(form);
    }

    /** @param program the form's */
    abstract Experiment experiment(F form, TileProgram program, long seed);

    /** The kernel that performs a form. */
    abstract TileProgram program(F form);
}

package dev.tilewright.verify.draw;

import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Programs of any instructions that have effects, of all forms: see {@link FormPart}. */
final class InstructionGenerator {

    /** Forms of one program. */
    private static final int FORMS = 6;
    private static final Deck DECK = new Deck(Forms.INSTRUCTIONS.size());

    private InstructionGenerator() { }

    static List<Integer> first(long seed, long number) {
        List<Integer> first = new ArrayList<>(List.of(FORMS - 1));
        for (int i = 0; i < FORMS; i++) {
            first.add(DECK.at(seed, number * FORMS + i));
        }
        return first;
    }

    static Drawn make(DrawnChoices choices) {
        int count = choices.between(1, FORMS);
        List<PtxInstruction> forms = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            forms.add(Forms.INSTRUCTIONS.get(choices.below(Forms.INSTRUCTIONS.size())));
        }
        FormProgram program = new FormProgram(forms, choices);
        var made = program.program();
        return new Drawn(forms.stream().map(PtxInstruction::opcode).collect(Collectors.joining(", ")), made,
                launch -> program.run(made, launch));
    }
}

package dev.tilewright.ptx;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * The description of an instruction form that a record gives.
 *
 * @param parts the opcode in pieces: the instruction's name, then each qualifier with its dot, empty where it is not
 *     written; all forms of one record have as many
 * @param operands in the order of the text
 * @param operandText what follows the opcode; {@code %name%} stands for the operand of that name, numbers for
 *     themselves
 * @param listing the same for people: operands by their names, free immediates too
 * @param functionName the name of the function that wraps the form in generated code, unique among all forms
 * @param flags the immediates at the text's end that tell forms of one opcode apart; in operandText and listing, too
 * @param gate the PTX versions and targets that have the form
 * @param effects what it does to memory
 */
public record Form(List<String> parts, List<Operand> operands, String operandText, String listing,
        String functionName, List<String> flags, Gate gate, Effects effects) {
    public Form {
        NotNull.all("parts, operands, operandText, listing, functionName, flags, gate, effects",
                parts, operands, operandText, listing, functionName, flags, gate, effects);
        parts = List.copyOf(parts);
        operands = List.copyOf(operands);
        flags = List.copyOf(flags);
    }

    /** The opcode with every qualifier, as PTX writes it. */
    public String opcode() {
        return String.join("", parts);
    }
}

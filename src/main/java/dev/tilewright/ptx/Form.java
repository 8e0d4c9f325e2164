package dev.tilewright.ptx;

import java.util.List;

/**
 * What a record says about its instruction.
 *
 * @param opcode with every qualifier, as PTX writes it
 * @param operands in the order of the text
 * @param operandText what follows the opcode; {@code %name%} stands for the operand of that name, numbers for themselves
 * @param listing the same for people: operands by their names, free immediates too
 * @param gate the PTX versions and targets that have the form
 * @param effects what it does to memory
 */
public record Form(String opcode, List<Operand> operands, String operandText, String listing, Gate gate, Effects effects) {
    public Form {
        operands = List.copyOf(operands);
    }
}

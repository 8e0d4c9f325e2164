package dev.tilewright.ptx;

/**
 * Qualifiers or immediates were put together that no PTX instruction has; the message names the rule and its section.
 */
public final class IllegalFormException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /**
     * @param rule the rule and what was given instead
     * @param section the section of the PTX ISA that states it
     */
    public IllegalFormException(String rule, String section) {
        super(rule + " (PTX ISA, \"" + section + "\")");
    }

    /**
     * @param rule the rule and what was given instead
     * @param instruction the record whose section of the PTX ISA states it
     */
    public IllegalFormException(String rule, Class<? extends PtxInstruction> instruction) {
        this(rule, instruction.getAnnotation(About.class).section());
    }
}

package dev.tilewright.ptx;

/** An instruction form was asked for that a PTX version or a target does not have; the message says what it needs. */
public final class UnavailableFormException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** @param message what needs what, and what was asked for */
    public UnavailableFormException(String message) {
        super(message);
    }

    UnavailableFormException(PtxInstruction form, String asked) {
        super(form.opcode() + " needs " + form.gate() + "; asked for " + asked);
    }
}

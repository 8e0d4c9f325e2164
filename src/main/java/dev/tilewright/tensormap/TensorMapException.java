package dev.tilewright.tensormap;

/**
 * A description that the driver would refuse. The message lists every broken rule; {@link #validation()} has them
 * apart.
 */
public final class TensorMapException extends IllegalArgumentException {

    private final transient Validation validation;

    /** @param validation whose violations become the message */
    public TensorMapException(Validation validation) {
        this("this tensor map cannot be encoded", validation);
    }

    /** @param what what was refused and by whom, the start of the message */
    public TensorMapException(String what, Validation validation) {
        super(what + ": " + validation.report());
        this.validation = validation;
    }

    /** Errors and warnings as values. */
    public Validation validation() {
        return validation;
    }
}

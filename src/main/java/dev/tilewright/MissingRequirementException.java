package dev.tilewright;

/**
 * Something outside this program is not there: a GPU, a driver, NVRTC, a capable enough architecture. The message is
 * one sentence that says what is missing and what to do; the command ends with exit code 3.
 */
public final class MissingRequirementException extends RuntimeException {

    /** @param message what is missing, what needs it, and what to do */
    public MissingRequirementException(String message) {
        super(message);
    }

    /**
     * @param message what is missing, what needs it, and what to do
     * @param cause what found it
     */
    public MissingRequirementException(String message, Throwable cause) {
        super(message, cause);
    }
}

package dev.tilewright;

/**
 * A request that cannot be carried out as it was made: an input file that is damaged, a tile that does not fit, an
 * option of the wrong kind. The message is one sentence for the person who asked: what was asked, the rule, the value,
 * and what would do; the command ends with exit code 2.
 */
public final class BadRequestException extends IllegalArgumentException {

    /** @param message what was asked, which rule it breaks, the value, and what to do */
    public BadRequestException(String message) {
        super(message);
    }

    /**
     * @param message what was asked, which rule it breaks, the value, and what to do
     * @param cause what found it
     */
    public BadRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}

package dev.tilewright.reference.simt;

/**
 * Threads cannot go on together: they make a mistake, or what one does depends on what another does. Nothing that they
 * did in this turn has happened; one by one they do it, and say what is wrong.
 */
final class ApartException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** It happens often, and where does not matter. */
    static final ApartException INSTANCE = new ApartException();

    private ApartException() {
        super(null, null, false, false);
    }
}

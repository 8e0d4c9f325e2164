package dev.tilewright.reference.fault;

/**
 * A run of the reference that was ended from outside, not by a mistake of the program: the calling thread was
 * interrupted (and stays so), or the run took more steps or time than its options allow. What the program has written by
 * then is in its memory, in part.
 */
public final class ReferenceStoppedException extends RuntimeException {

    /** @param message the kernel, how far it got, and why it was stopped */
    public ReferenceStoppedException(String message) {
        super(message);
    }
}

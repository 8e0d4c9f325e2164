package dev.tilewright.hazard.explore;

/** A run of the kernel ends here: with what the hardware would fault on, or leaves undefined. */
final class Ending extends RuntimeException {
    private static final long serialVersionUID = 1;

    Ending(String why) {
        super(why, null, false, false);
    }
}

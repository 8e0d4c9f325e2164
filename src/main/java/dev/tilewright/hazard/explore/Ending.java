package dev.tilewright.hazard.explore;

/**
 * A run of the kernel ends here: with what the hardware would fault on, or leaves undefined. An exception, since the
 * step that meets it is anywhere within the evaluation of an expression: results would be asked about at every level of
 * each of millions of steps. It has no stack, so throwing it costs little.
 */
class Ending extends RuntimeException {
    private static final long serialVersionUID = 1;

    Ending(String why) {
        super(why, null, false, false);
    }

    /** What happens next depends on bytes that nothing wrote. */
    static final class Undefined extends Ending {
        private static final long serialVersionUID = 1;

        Undefined() {
            super("undefined bytes decide");
        }
    }
}

package dev.tilewright.verify.draw;

/**
 * What was chosen does not go together, or is not to be had: something else is drawn. An exception, since kernels are
 * drawn from the outside in, and it may be the innermost part that cannot be made.
 */
final class Redraw extends RuntimeException {
    Redraw(String why) {
        super(why, null, false, false);
    }
}

package dev.tilewright.verify.draw;

/** What was chosen does not go together, or is not to be had: something else is drawn. */
final class Redraw extends RuntimeException {
    Redraw(String why) {
        super(why, null, false, false);
    }
}

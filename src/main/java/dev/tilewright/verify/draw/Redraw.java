package dev.tilewright.verify.draw;

/** What was chosen does not go together, or is not to be had: something else is drawn. */
public final class Redraw extends RuntimeException {
    public Redraw(String why) {
        super(why, null, false, false);
    }
}

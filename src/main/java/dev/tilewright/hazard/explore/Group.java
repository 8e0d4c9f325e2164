package dev.tilewright.hazard.explore;

/** Copies that one thread waits for together. */
final class Group {
    int outstanding;
    int unread;
    /** Whether nothing has waited until the copies in it are done with shared memory. */
    boolean inFlight;
    /** What whoever waits for the copies learns. */
    View done;
    /** What whoever waits until their sources were read learns. */
    View read;

    Group(View empty) {
        done = empty.empty();
        read = empty.empty();
    }

    private Group() {
    }

    Group copy() {
        Group g = new Group();
        g.outstanding = outstanding;
        g.unread = unread;
        g.inFlight = inFlight;
        g.done = done.copy();
        g.read = read.copy();
        return g;
    }

    void addTo(Key key) {
        key.add(outstanding * 4L + unread * 1024L + (inFlight ? 1 : 0));
        key.add(done);
        key.add(read);
    }
}

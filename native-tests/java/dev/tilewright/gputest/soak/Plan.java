package dev.tilewright.gputest.soak;

/**
 * What a soak does.
 *
 * @param launches altogether, those of graphs among them
 * @param threads how many take part
 * @param streams that they share
 * @param legs equal parts after which memory is read, when nothing is under way
 * @param mostWords of an array, whose sizes are drawn
 * @param seed of all that is drawn
 */
record Plan(long launches, int threads, int streams, int legs, int mostWords, long seed) {
    Plan {
        if (launches < 1 || threads < 1 || streams < 1 || legs < 1 || mostWords < 1) {
            throw new IllegalArgumentException("launches, threads, streams, legs and words are at least 1");
        }
    }

    /** The launches of one leg. */
    long launchesOfLeg() {
        return Math.ceilDiv(launches, legs);
    }
}

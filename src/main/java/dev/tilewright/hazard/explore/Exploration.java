package dev.tilewright.hazard.explore;

import java.util.List;

/**
 * What exploring showed.
 *
 * @param endings the different ends of runs, up to the first two: bytes of global memory, or why a run goes wrong
 * @param orders one that leads to each of them
 * @param races accesses that nothing orders, whether or not that shows in bytes
 * @param meetings whether accesses with scopes were seen that nothing else orders
 * @param phases whether a step at an mbarrier came in different phases of it in different runs
 * @param bytesLeft whether a run ended with bytes announced at an mbarrier that did not come, or others that came
 * @param limit why some states were left
 */
public record Exploration(List<String> endings, List<Order> orders, List<String> races,
        boolean meetings, boolean phases, boolean bytesLeft,
        Limit limit, int states) {

    /** What ended the exploring before every order was tried. */
    public enum Limit { NONE, STATES, MEMORY, STEPS }

    /** Whether some states were left. */
    public boolean bounded() {
        return limit != Limit.NONE;
    }

    /** What an ending begins with that is one of bytes. */
    static final String BYTES = "=";

    static boolean isBad(String ending) {
        return !ending.startsWith(BYTES);
    }

    /** Whether two orders differ in their bytes, hang or fault. */
    public boolean isWrong() {
        return endings.size() > 1 || endings.stream().anyMatch(Exploration::isBad);
    }

    /** Whether every order was tried and leaves the same bytes. */
    public boolean isRight() {
        return !isWrong() && !bounded();
    }

    /** In a few words why it is wrong. */
    public String why() {
        return endings.stream().filter(Exploration::isBad).findFirst().orElse("bytes differ");
    }
}

package dev.tilewright;

/** Is told how far a long piece of work is, to show it. Called from one thread. */
@FunctionalInterface
public interface Progress {

    /** For callers that do not want to know. */
    Progress NONE = (what, done, total) -> { };

    /**
     * Called often; returns quickly.
     *
     * @param what the work, in a few words: {@code fetching NVRTC 12.9}
     * @param done bytes so far
     * @param total bytes in all, or -1 if that is not known
     */
    void at(String what, long done, long total);
}

package dev.tilewright.cli;

/** What the command's exit codes mean. */
final class ExitCode {
    /** All is well. */
    static final int OK = 0;
    /** The bytes differ, or something was found. */
    static final int FOUND = 1;
    /** The request is wrong. */
    static final int BAD_REQUEST = 2;
    /** Something that is needed is not there. */
    static final int MISSING = 3;

    /** What reads standard output has ended: 128 + SIGPIPE, as of other tools, which end without a word, too. */
    static final int READER_GONE = 141;

    private ExitCode() {
    }
}

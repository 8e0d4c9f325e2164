package dev.tilewright.cli.terminal;

/** What the command's exit codes mean. */
public final class ExitCode {
    /** All is well. */
    public static final int OK = 0;
    /** The bytes differ, or something was found. */
    public static final int FOUND = 1;
    /** The request is wrong. */
    public static final int BAD_REQUEST = 2;
    /** Something that is needed is not there. */
    public static final int MISSING = 3;

    /** What reads standard output has ended: 128 + SIGPIPE, as of other tools, which end without a word, too. */
    public static final int READER_GONE = 141;

    private ExitCode() { }
}

package dev.tilewright.gputest;

/**
 * What a mutant did on the GPU.
 *
 * @param mutant its name
 * @param wrongLaunches how many launches left wrong bytes
 * @param wrongBytes how many bytes the first of them left wrong
 * @param launches how many there were
 * @param detail the driver's words, where something went wrong
 */
record MutantOutcome(String preset, String mutant, Kind kind, int wrongLaunches, long wrongBytes, int launches,
        String detail) {

    enum Kind {
        /** All bytes are right. */
        FINE,
        WRONG_BYTES,
        /** A bounded wait gave up, or the process had to be ended because the kernel did not. */
        HANG,
        /** Any other error of a launch. */
        FAULT,
        /** The kernel was refused before it ran. */
        NOT_RUN
    }

    static final String HEADER = String.join("\t", "preset", "mutant", "outcome", "wrong_launches", "wrong_bytes",
            "launches", "detail");

    /** One line of tab-separated values. */
    String line() {
        return String.join("\t", preset, mutant, kind.name(), Integer.toString(wrongLaunches),
                Long.toString(wrongBytes), Integer.toString(launches), detail.replaceAll("\\s+", " "));
    }

    static MutantOutcome parse(String line) {
        String[] f = line.split("\t", -1);
        return new MutantOutcome(f[0], f[1], Kind.valueOf(f[2]), Integer.parseInt(f[3]), Long.parseLong(f[4]),
                Integer.parseInt(f[5]), f[6]);
    }
}

package dev.tilewright.ptx;

import java.util.Objects;

/** A version of the PTX ISA, such as 8.0: what an instruction needs of the compiler, apart from the architecture. */
public record PtxVersion(int major, int minor) implements Comparable<PtxVersion> {

    /** The version of the PTX ISA with these two numbers. */
    public static PtxVersion of(int major, int minor) {
        return new PtxVersion(major, minor);
    }

    /**
     * Reads {@code 8.0}.
     *
     * @throws IllegalArgumentException if the text is not two numbers with a dot between them
     */
    public static PtxVersion parse(String text) {
        Objects.requireNonNull(text, "text");
        java.util.regex.Matcher m = java.util.regex.Pattern.compile("(\\d{1,2})\\.(\\d{1,2})").matcher(text.trim());
        if (!m.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a PTX version: write it as 8.0");
        }
        return of(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
    }

    /**
     * The newest PTX that the compiler of a CUDA toolkit takes (PTX ISA, "Release Notes"): 7.0 with CUDA 11.0, 8.0 with
     * 12.0, 9.0 with 13.0, and one minor version more for each release between, but for 12.6, which took 12.5's.
     *
     * @throws IllegalArgumentException for a CUDA older than 11.0, the first that knows sm_80
     */
    public static PtxVersion ofCuda(int major, int minor) {
        if (major < 11) {
            throw new IllegalArgumentException("CUDA " + major + "." + minor
                    + " does not know sm_80: use 11.0 or later");
        }
        return of(major - 4, major == 12 && minor >= 6 ? minor - 1 : minor);
    }

    @Override
    public int compareTo(PtxVersion other) {
        Objects.requireNonNull(other, "other");
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}

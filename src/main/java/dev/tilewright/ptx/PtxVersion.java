package dev.tilewright.ptx;

/** A version of the PTX ISA, such as 8.0: what an instruction needs of the compiler, apart from the architecture. */
public record PtxVersion(int major, int minor) implements Comparable<PtxVersion> {

    public static PtxVersion of(int major, int minor) {
        return new PtxVersion(major, minor);
    }

    @Override
    public int compareTo(PtxVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}

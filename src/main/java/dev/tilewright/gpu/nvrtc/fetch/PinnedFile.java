package dev.tilewright.gpu.nvrtc.fetch;

/**
 * A file of a jar, as it was published.
 *
 * @param entry its path in the jar
 * @param bytes its size
 * @param sha256 its digest, in hexadecimal
 */
record PinnedFile(String entry, long bytes, String sha256) {

    /** Its name without folders: what it is called once unpacked. */
    String name() {
        return entry.substring(entry.lastIndexOf('/') + 1);
    }
}

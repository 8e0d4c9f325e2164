package dev.tilewright.tensormap;

/** How a wide im2col copy walks the image, in the order of {@code CUtensorMapIm2ColWideMode} (cuda.h). */
public enum Im2colWideMode {
    /** Along W, as many pixels as the map says. */
    W,
    /** Along W, always 128 pixels; the map's pixel count is ignored. */
    W128;

    /** The value of {@code CUtensorMapIm2ColWideMode} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }
}

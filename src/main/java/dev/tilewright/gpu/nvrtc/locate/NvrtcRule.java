package dev.tilewright.gpu.nvrtc.locate;

import dev.tilewright.gpu.nvrtc.fetch.EmbeddedNvrtc;

/** The rules by which NVRTC is looked for, in their order. */
public enum NvrtcRule {
    /** System property {@code tilewright.nvrtc} or environment variable TILEWRIGHT_NVRTC: a file or a folder. */
    EXPLICIT_SETTING("explicit setting"),
    /** The toolkit that the environment variable CUDA_HOME names. */
    CUDA_HOME("CUDA_HOME"),
    /** The toolkit that the environment variable CUDA_PATH names. */
    CUDA_PATH("CUDA_PATH"),
    /** The folders that toolkits are usually installed in. */
    TOOLKIT_FOLDER("usual toolkit folder"),
    /** Where the dynamic loader would find it: LD_LIBRARY_PATH, its cache, its default folders. */
    DYNAMIC_LOADER("dynamic loader"),
    /** The copy that comes from Maven: {@link EmbeddedNvrtc}. */
    EMBEDDED("embedded copy");

    private final String words;

    NvrtcRule(String words) {
        this.words = words;
    }

    /** The rule in words: {@code usual toolkit folder}. */
    @Override
    public String toString() {
        return words;
    }
}

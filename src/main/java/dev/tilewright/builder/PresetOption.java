package dev.tilewright.builder;

import java.util.Locale;

/** What a user may choose about a preset, by the name that the command takes after {@code --}. */
public enum PresetOption {
    TILE("extents of a tile in elements, outermost first, such as 64x64; 128B counts bytes"),
    STAGES("tiles of one block that shared memory holds at once"),
    THREADS("threads of one block"),
    STEP("what happens to each element: copy, scale or add"),
    SWIZZLE("how tiles are swizzled in shared memory: none, 32B, 64B or 128B"),
    UNSWIZZLE("who turns a swizzled tile back: store (the tensor store) or step (the threads)"),
    WAIT("how threads wait for a tile: parity or token"),
    COPY_BYTES("bytes that one thread copies at once: 4, 8 or 16");

    private final String help;

    PresetOption(String help) {
        this.help = help;
    }

    /** One line that says what is chosen. */
    public String help() {
        return help;
    }

    /** The name on the command line, without the dashes: {@code copy-bytes}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package dev.tilewright.emit;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.PtxInstruction;
import java.util.Objects;
import java.util.Optional;

/**
 * Choices about the generated text that do not change what a correct kernel computes.
 *
 * @param pollLimit how often a wait on an mbarrier, or for a value in memory, polls before it stops the kernel with a
 *     trap; 0 means for ever. One poll of an mbarrier lets the hardware wait for a while, about a microsecond or more;
 *     one of memory lasts as long as the load.
 * @param spelling what instructions are spelled for; without it they are spelled as the program says
 * @param stamps the time stamps that the kernel writes; without them its text is what it would be if there were none
 */
public record EmitOptions(int pollLimit, Optional<Spelling> spelling, Optional<TimeStamps> stamps) {

    /** Waits for ever. */
    public static final EmitOptions DEFAULT = new EmitOptions(0);

    /** Turns a hang into an error: a wait gives up after a time that no working copy takes. */
    public static final EmitOptions BOUNDED = new EmitOptions(4_000_000);

    /** Waits that poll so often, and instructions spelled as the program says. */
    public EmitOptions(int pollLimit) {
        this(pollLimit, Optional.empty(), Optional.empty());
    }

    public EmitOptions {
        NotNull.all("spelling, stamps", spelling, stamps);
        if (pollLimit < 0) {
            throw new IllegalArgumentException("the poll limit must be at least 0, got " + pollLimit);
        }
    }

    /** A form as it is to be written. */
    PtxInstruction spell(PtxInstruction form) {
        return spelling.map(s -> s.of(form)).orElse(form);
    }

    /** These choices, with time stamps. */
    public EmitOptions withStamps(TimeStamps stamps) {
        Objects.requireNonNull(stamps, "stamps");
        return new EmitOptions(pollLimit, spelling, Optional.of(stamps));
    }

    /** These choices, spelled for a compiler and a target. */
    public EmitOptions spelledFor(Spelling spelling) {
        Objects.requireNonNull(spelling, "spelling");
        return new EmitOptions(pollLimit, Optional.of(spelling), stamps);
    }
}

package dev.tilewright.ptx.cache;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code prefetch}: advises that the line at an address be brought into a cache. Inputs, in order: {@code address}.
 *
 * @param place where the address is
 * @param level which cache; how long the line stays in L2 is said of generic and global addresses
 */
@About(section = "prefetch / prefetchu", role = StepRole.OTHER,
        summary = "advises that the line at an address be brought into a cache")
public record Prefetch(Place place, Level level) implements CacheInstruction {
    /** The cache, and what becomes of the line there. */
    public enum Level implements Qualifier {
        L1(".L1"), L2(".L2"), L2_EVICT_LAST(".L2::evict_last"), L2_EVICT_NORMAL(".L2::evict_normal");

        private final String text;

        Level(String text) {
            this.text = text;
        }

        @Override
        public String text() {
            return text;
        }
    }

    /** The state space of the address. */
    public enum Place implements Qualifier {
        GENERIC("", Operand.Kind.GENERIC_ADDRESS), GLOBAL(".global", Operand.Kind.GLOBAL_ADDRESS),
                LOCAL(".local", Operand.Kind.SPACE_ADDRESS);

        private final String text;
        private final Operand.Kind kind;

        Place(String text, Operand.Kind kind) {
            this.text = text;
            this.kind = kind;
        }

        @Override
        public String text() {
            return text;
        }
    }

    public Prefetch {
        NotNull.all("place, level", place, level);
        if (place == Place.LOCAL && evicts(level)) {
            throw new IllegalFormException("prefetch" + level.text() + " is of generic or global addresses, got .local",
                    Prefetch.class);
        }
    }

    private static boolean evicts(Level level) {
        return level == Level.L2_EVICT_LAST || level == Level.L2_EVICT_NORMAL;
    }

    /** At a generic address. */
    public Prefetch(Level level) {
        this(Place.GENERIC, level);
    }

    /** At an address in this space. */
    public Prefetch withPlace(Place place) {
        return new Prefetch(place, level);
    }

    @Override
    public Form form() {
        return FormBuilder.form("prefetch").with(place).with(level).operand("address", place.kind)
                .needs(evicts(level) ? Gates.CACHE_HINTS : Gates.AMPERE);
    }
}

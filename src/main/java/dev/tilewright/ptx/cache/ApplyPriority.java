package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code applypriority}: gives 128 bytes of global memory the normal eviction priority in L2.
 *
 * @param spaceWritten whether .global is written; the address is in global memory either way
 */
public record ApplyPriority(boolean spaceWritten) implements CacheInstruction {
    private static final String SECTION = "applypriority";

    @Override
    public Form form() {
        return FormBuilder.form("applypriority").withIf(spaceWritten, ".global").with(EvictionPriority.EVICT_NORMAL)
                .operand((spaceWritten ? Space.GLOBAL : Space.GENERIC).source("address")).literal("128")
                .needs(Gates.CACHE_HINTS, Effects.NONE);
    }

    @Override
    public String summary() {
        return "gives 128 bytes of global memory the normal eviction priority in L2";
    }

    @Override
    public String section() {
        return SECTION;
    }
}

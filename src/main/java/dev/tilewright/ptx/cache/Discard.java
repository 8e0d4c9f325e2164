package dev.tilewright.ptx.cache;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code discard}: gives up the contents of 128 bytes of global memory, so that L2 need not write them back. Inputs, in
 * order: {@code address}.
 *
 * @param explicitSpace whether .global is written; the address is in global memory either way
 */
@About(section = "discard", role = StepRole.OTHER,
        summary = "gives up the contents of 128 bytes of global memory, so that L2 need not write them back")
public record Discard(boolean explicitSpace) implements CacheInstruction {
    /** At a generic address. */
    public Discard() {
        this(false);
    }

    /** This form with .global written. */
    public Discard withExplicitSpace() {
        return new Discard(true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("discard").withIf(explicitSpace, ".global").with(".L2")
                .operand(Operands.destination(explicitSpace ? Space.GLOBAL : Space.GENERIC, "address")).literal("128")
                .needs(Gates.CACHE_HINTS, writes("address", Proxy.GENERIC, bytes(128)));
    }
}

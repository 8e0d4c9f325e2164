package dev.tilewright.emit;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;

/**
 * The PTX version and target that instructions are spelled for: a spelling that they lack is replaced by another of the
 * same operation.
 *
 * @param version the newest PTX that the compiler takes
 * @param target the target that it compiles for
 */
public record Spelling(PtxVersion version, Target target) {
    public Spelling {
        NotNull.all("version, target", version, target);
    }

    /** @throws UnavailableFormException if they do not have the form */
    PtxInstruction of(PtxInstruction form) {
        return form.spelledFor(version, target);
    }
}

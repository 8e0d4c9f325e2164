package dev.tilewright.emit;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;

/**
 * What instructions are spelled for: another spelling of the same operation takes the place of one that is not there.
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

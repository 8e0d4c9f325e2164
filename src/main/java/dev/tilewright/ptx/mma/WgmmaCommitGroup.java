package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code wgmma.commit_group}: closes the group of the products that the warpgroup has started so far. */
@About(section = "wgmma.commit_group", role = StepRole.COMMIT,
        summary = "closes the group of the products that the warpgroup has started so far")
public record WgmmaCommitGroup() implements MmaInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("wgmma.commit_group.sync.aligned").needs(Gates.WGMMA);
    }
}

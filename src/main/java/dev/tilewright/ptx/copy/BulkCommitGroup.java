package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code cp.async.bulk.commit_group}: closes the thread's open group of bulk copies. */
@About(section = "cp.async.bulk.commit_group", role = StepRole.COMMIT,
        summary = "closes the group of this thread's bulk copies issued so far")
public record BulkCommitGroup() implements GroupCommit {
    @Override
    public CopyGroup group() {
        return CopyGroup.BULK;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.commit_group")
                .named("bulk_commit_group")
                .needs(Gates.HOPPER);
    }
}

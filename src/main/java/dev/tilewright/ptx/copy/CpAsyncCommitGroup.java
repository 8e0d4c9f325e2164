package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code cp.async.commit_group}: closes the thread's open group of cp.async copies. */
@About(section = "cp.async.commit_group", role = StepRole.COMMIT,
        summary = "closes the group of this thread's cp.async copies issued so far")
public record CpAsyncCommitGroup() implements GroupCommit {
    @Override
    public CopyGroup group() {
        return CopyGroup.CP_ASYNC;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.commit_group").needs(Gates.AMPERE);
    }
}

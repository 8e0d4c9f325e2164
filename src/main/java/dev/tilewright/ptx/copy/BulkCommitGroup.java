package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code cp.async.bulk.commit_group}: closes the thread's open group of bulk copies.
 */
public record BulkCommitGroup() implements GroupCommit {
    private static final String SECTION = "cp.async.bulk.commit_group";

    @Override
    public CopyGroup group() {
        return CopyGroup.BULK;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.commit_group").needs(Gates.HOPPER, EffectsBuilder.nothing());
    }

    @Override
    public String functionName() {
        return "bulk_commit_group";
    }

    @Override
    public String summary() {
        return "closes the group of this thread's bulk copies issued so far";
    }

    @Override
    public String section() {
        return SECTION;
    }
}

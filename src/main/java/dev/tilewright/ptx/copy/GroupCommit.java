package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.StepRole;

/** Closes the thread's open group, so that later copies are gathered in another. */
public sealed interface GroupCommit extends GroupControl permits BulkCommitGroup, CpAsyncCommitGroup {
    @Override
    default StepRole role() {
        return StepRole.COMMIT;
    }
}

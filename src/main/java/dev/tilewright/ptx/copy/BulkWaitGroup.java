package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Require;

/**
 * {@code cp.async.bulk.wait_group}: waits until at most n of this thread's bulk groups are unfinished, or with .read
 * only unread.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 * @param read whether it is enough that their sources have been read
 */
@About(section = "cp.async.bulk.wait_group", role = StepRole.WAIT,
        summary = "waits until at most n of this thread's bulk groups are unfinished, or with .read only unread")
public record BulkWaitGroup(@OneOf(0) int pending, boolean read) implements GroupWait {
    public BulkWaitGroup {
        Require.pending(pending, BulkWaitGroup.class);
    }

    /** Waits until the copies are done, writes and all. */
    public BulkWaitGroup(int pending) {
        this(pending, false);
    }

    /** Waits only until the sources have been read. */
    public BulkWaitGroup withRead() {
        return new BulkWaitGroup(pending, true);
    }

    @Override
    public CopyGroup group() {
        return CopyGroup.BULK;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.wait_group").withIf(read, ".read").immediate("n", pending)
                .named("bulk_wait_group_" + (read ? "read_" : "") + pending)
                .needs(Gates.HOPPER, EffectsBuilder.waitingFor(read ? Effects.Wait.BULK_GROUPS_READ
                        : Effects.Wait.BULK_GROUPS));
    }

    @Override
    public String summary() {
        String done = read ? "the sources of this thread's bulk groups have been read"
                : "this thread's bulk groups are written";
        return "waits until " + done + switch (pending) {
            case 0 -> "";
            case 1 -> ", but for the newest";
            default -> ", but for the newest " + pending;
        };
    }
}

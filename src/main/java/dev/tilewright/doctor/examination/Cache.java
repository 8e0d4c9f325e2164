package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.CacheFacts;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.gpu.host.ByteSize;
import java.util.List;

/** Whether compiled kernels are kept. */
final class Cache implements Examination {
    private static final String SUBJECT = "cache";

    @Override
    public List<Finding> of(Machine machine) {
        CacheFacts cache = machine.cache();
        if (!cache.problem().isEmpty()) {
            return List.of(Finding.broken(SUBJECT, cache.problem() + ": every run compiles its kernel anew",
                    "set TILEWRIGHT_CACHE to a folder of yours, on a disk with room"));
        }
        String fact = cache.folder() + ": " + cache.kernels() + " kernels, " + ByteSize.of(cache.bytes())
                + " of at most " + ByteSize.of(cache.limit());
        return List.of(isFull(cache) ? Finding.note(SUBJECT,
                fact + ", and " + ByteSize.of(cache.free()) + " free on its disk",
                "make room, or set TILEWRIGHT_CACHE to a folder of yours on another disk") : Finding.ok(SUBJECT, fact));
    }

    /** Whether the disk ends before the cache does. */
    private static boolean isFull(CacheFacts cache) {
        return cache.free() >= 0 && cache.free() < cache.limit() - cache.bytes();
    }
}

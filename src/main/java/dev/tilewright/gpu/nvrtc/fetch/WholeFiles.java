package dev.tilewright.gpu.nvrtc.fetch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * Which files have been read and matched what was published. A file that has not changed since is not read again: its
 * inode, size and both times are as they were, and only root can set the inode's own time (ctime).
 */
final class WholeFiles {
    /** Times of files advance in ticks: what is younger may change without being seen to. */
    private static final Duration TICK = Duration.ofSeconds(1);

    private final BiPredicate<PinnedFile, Path> reads;
    private final InstantSource clock;
    private final Set<Seen> seen = ConcurrentHashMap.newKeySet();

    /** @param facts the attributes that a change changes */
    private record Seen(PinnedFile file, Path place, Map<String, Object> facts) { }

    /** @param reads what decides by reading all of a file */
    WholeFiles(BiPredicate<PinnedFile, Path> reads, InstantSource clock) {
        this.reads = reads;
        this.clock = clock;
    }

    /** Whether a file is this one, to the byte. */
    boolean isAt(PinnedFile file, Path place) {
        Map<String, Object> before = facts(place);
        Seen one = new Seen(file, place, before);
        if (seen.contains(one)) {
            return true;
        }
        Instant begin = clock.instant();
        boolean is = reads.test(file, place);
        if (is && !before.isEmpty() && before.equals(facts(place)) && isSettled(before, begin)) {
            seen.add(one);
        }
        return is;
    }

    private static boolean isSettled(Map<String, Object> facts, Instant now) {
        return facts.get("ctime") instanceof FileTime changed
                && changed.toInstant().isBefore(now.minus(TICK));
    }

    /** Empty where the system does not say them. */
    private static Map<String, Object> facts(Path place) {
        try {
            return Files.readAttributes(place, "unix:dev,ino,size,lastModifiedTime,ctime");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return Map.of();
        }
    }
}

package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.MapFindings.MapStep;
import dev.tilewright.hazard.report.MapFindings;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Scope;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tensor maps in global memory. Copies read them through a proxy of their own: a change is seen by a copy if it happens
 * before a release that knows of it, the release before an acquire of that map by a thread of the copy's block, and the
 * acquire before the copy. Between these any order counts that counts elsewhere; a value that was read relaxed counts
 * as well where release and acquire stand at its two sides, since the two fences synchronise.
 *
 * <p>Sources: PTX ISA, "Memory Consistency Model: Proxies", "membar / fence" ({@code .proxy.tensormap}),
 * "tensormap.cp_fenceproxy"; CUDA Programming Guide, "Using TMA to transfer multi-dimensional arrays" (a map in global
 * memory is fenced once in each thread block, and again after each change).
 */
final class MapTracker {
    private static final int MAP_BYTES = 128;
    /** How many releases, or acquires, of one thread are remembered: the last ones. */
    private static final int REMEMBERED = 4;

    private record Place(int piece, long offset) {
        ByteRange span() {
            return new ByteRange(false, piece, offset, MAP_BYTES);
        }
    }

    /** A fence. @param thread its thread's clock at that time */
    private static final class MapFence {
        private final ThreadClock thread;
        private final int step;
        private final Scope scope;
        /** Changes that are found to be known by this acquire. */
        private final Set<ShadowAccess> covered = Collections.newSetFromMap(new IdentityHashMap<>());

        MapFence(CheckedThread by, int step, Scope scope) {
            this.thread = by.clock.frozen();
            this.step = step;
            this.scope = scope;
        }

        MapStep named() {
            return new MapStep(thread, step);
        }

        /** Whether the thread knew of a change when it came here. */
        boolean knows(ShadowAccess change) {
            return change.completion() != null ? change.completion().isKnownTo(thread, Clock.ORDERED)
                    : thread.knows(change.thread(), Clock.ORDERED) >= change.time();
        }

        /** Whether this comes after another fence, of any thread. */
        boolean isAfter(MapFence other) {
            ThreadClock by = other.thread;
            return by.cluster() == thread.cluster() && by.slot() == thread.slot() ? thread.time() > by.time()
                    : thread.hasHappened(by, by.time());
        }

        boolean reaches(MapFence other) {
            return thread.reaches(other.thread, scope);
        }
    }

    /** The last fences of each thread, by the thread's clock. */
    private static final class Fences {
        private final Map<ThreadClock, Deque<MapFence>> byThread = new HashMap<>();

        void add(ThreadClock thread, MapFence fence) {
            Deque<MapFence> own = byThread.computeIfAbsent(thread, _ -> new ArrayDeque<>());
            own.addFirst(fence);
            if (own.size() > REMEMBERED) {
                own.removeLast();
            }
        }

        /** All, the latest of each thread first, and those of one thread before the others'. */
        Stream<MapFence> from(ThreadClock first) {
            Deque<MapFence> own = byThread.get(first);
            return own == null ? all() : Stream.concat(own.stream(), all());
        }

        Stream<MapFence> all() {
            return byThread.values().stream().flatMap(Deque::stream);
        }
    }

    private final MemoryTracker memory;
    private final FindingSet findings;
    private final MapFindings words;
    /** Releases of all that a thread knows, and of one map. */
    private final Fences releases = new Fences();
    private final Map<Place, Fences> published = new HashMap<>();
    private final Map<Place, Map<Integer, Fences>> acquires = new HashMap<>();

    MapTracker(MemoryTracker memory, FindingSet findings, MapFindings words) {
        this.memory = memory;
        this.findings = findings;
        this.words = words;
    }

    /** A thread releases all changes of maps that it knows of. */
    void released(CheckedThread thread, int step, Scope scope) {
        releases.add(thread.clock, new MapFence(thread, step, scope));
        thread.clock.tell();
    }

    /** A warp has written a map and releases it. */
    void published(CheckedThread thread, int step, int piece, long offset, Scope scope) {
        published.computeIfAbsent(new Place(piece, offset), _ -> new Fences())
                .add(thread.clock, new MapFence(thread, step, scope));
        thread.clock.tell();
    }

    void acquired(CheckedThread thread, int step, int piece, long offset, Scope scope) {
        // A release of the same thread before is at an earlier time of its own.
        acquires.computeIfAbsent(new Place(piece, offset), _ -> new HashMap<>())
                .computeIfAbsent(thread.block(), _ -> new Fences())
                .add(thread.clock, new MapFence(thread, step, scope));
    }

    /** A cluster has ended: which maps its blocks have acquired is of no interest any more. */
    void forget(CheckedCluster cluster) {
        if (!acquires.isEmpty()) {
            acquires.values().forEach(byBlock -> cluster.threads().stream().map(CheckedThread::block).distinct()
                    .forEach(byBlock::remove));
        }
    }

    /** A thread is about to use a map. */
    void used(CheckedThread thread, int step, int piece, long offset) {
        Place place = new Place(piece, offset);
        MapStep use = new MapStep(thread.clock, step);
        List<MapFence> own = acquires.getOrDefault(place, Map.of()).getOrDefault(thread.block(), new Fences())
                .all().toList();
        List<MapFence> before = own.stream().filter(a -> thread.clock.isAfter(a.thread, a.thread.time())
                || a.thread.slot() == thread.clock.slot()).toList();
        Set<ShadowAccess> changes = memory.lastWrites(piece, offset, MAP_BYTES);
        if (changes.isEmpty() && before.isEmpty() && !findings.has(HazardCode.MAP_CHANGE_NOT_FENCED, step, 0)) {
            findings.add(words.neverAcquired(use, place.span()));
        }
        for (ShadowAccess change : changes) {
            if (before.stream().noneMatch(a -> covers(a, change, place))
                    && !findings.has(HazardCode.MAP_CHANGE_NOT_FENCED, step, change.step())) {
                findings.add(missing(use, change, own, before, place));
                return;
            }
        }
    }

    private boolean covers(MapFence acquire, ShadowAccess change, Place place) {
        if (acquire.covered.contains(change)) {
            return true;
        }
        boolean covers = releasesOf(change, place)
                .anyMatch(r -> acquire.isAfter(r) && r.reaches(acquire) && acquire.reaches(r) && r.knows(change));
        if (covers) {
            acquire.covered.add(change);
        }
        return covers;
    }

    private Stream<MapFence> releasesOf(ShadowAccess change, Place place) {
        return Stream.concat(published.getOrDefault(place, new Fences()).from(change.thread()),
                releases.from(change.thread()));
    }

    /**
     * What is missing between a change and a use.
     *
     * @param own acquires by threads of the block
     * @param before those before the use
     */
    private Draft missing(MapStep use, ShadowAccess change, List<MapFence> own, List<MapFence> before, Place place) {
        List<MapFence> known = releasesOf(change, place).filter(r -> r.knows(change)).toList();
        if (known.isEmpty()) {
            return words.notReleased(use, change, place.span());
        }
        for (MapFence acquire : own) {
            for (MapFence release : known) {
                if (acquire.isAfter(release)) {
                    if (before.contains(acquire)) {
                        boolean releases = !release.reaches(acquire);
                        MapFence small = releases ? release : acquire;
                        return words.scopeTooSmall(use, change, small.named(), small.scope, releases, place.span());
                    }
                    return words.useNotOrdered(use, change, acquire.named(), place.span());
                }
            }
        }
        MapFence release = known.getFirst();
        boolean sameThread = !before.isEmpty() && before.getFirst().thread.slot() == release.thread.slot()
                && before.getFirst().thread.cluster() == release.thread.cluster();
        return before.isEmpty() || sameThread || before.stream().anyMatch(a -> release.isAfter(a))
                ? words.notAcquired(use, change, release.named(), place.span())
                : words.acquireNotOrdered(use, change, release.named(), before.getFirst().named(), place.span());
    }
}

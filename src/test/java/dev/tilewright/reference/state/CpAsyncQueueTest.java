package dev.tilewright.reference.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.reference.TestData;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The ring of pending cp.async copies against lists that say the same thing plainly. */
class CpAsyncQueueTest {
    private static final int SHARED = 512;

    /** What a thread does: a copy, a commit (size 0) or a wait (size -1 - pending). */
    record Action(int size, int chunk, int sourceBytes) {
    }

    @Property(tries = 500)
    void copiesLandAtTheWaitForTheirGroup(@ForAll("actions") List<Action> actions) {
        byte[] source = TestData.bytes(SHARED, 7);
        SharedMemory shared = new SharedMemory(SHARED);
        CpAsyncQueue queue = new CpAsyncQueue(shared);
        GlobalMemory memory = new GlobalMemory("source", MemorySegment.ofArray(source));
        byte[] expected = new byte[SHARED];
        List<List<Action>> groups = new ArrayList<>();
        List<Action> open = new ArrayList<>();
        for (Action a : actions) {
            if (a.size() > 0) {
                queue.start(memory, SHARED - 16 - at(a), at(a), a.size(), Math.min(a.sourceBytes(), a.size()));
                open.add(a);
            } else if (a.size() == 0) {
                queue.commit();
                groups.add(open);
                open = new ArrayList<>();
            } else {
                queue.waitFor(-1 - a.size());
                while (groups.size() > -1 - a.size()) {
                    groups.removeFirst().forEach(copy -> land(copy, source, expected));
                }
            }
            assertArrayEquals(expected, shared.at(0, SHARED));
        }
    }

    private static int at(Action a) {
        return 16 * a.chunk();
    }

    private static void land(Action a, byte[] source, byte[] shared) {
        int read = Math.min(a.sourceBytes(), a.size());
        Arrays.fill(shared, at(a), at(a) + a.size(), (byte) 0);
        System.arraycopy(source, SHARED - 16 - at(a), shared, at(a), read);
    }

    @Provide
    Arbitrary<List<Action>> actions() {
        Arbitrary<Integer> size = Arbitraries.frequency(Tuple.of(8, 16), Tuple.of(4, 8),
                Tuple.of(4, 4), Tuple.of(6, 0), Tuple.of(1, -1),
                Tuple.of(1, -3), Tuple.of(1, -9));
        return Combinators.combine(size, Arbitraries.integers().between(0, SHARED / 16 - 1),
                Arbitraries.integers().between(0, 16)).as(Action::new).list().ofMinSize(1).ofMaxSize(120);
    }
}

package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random work in random streams against a model of CUDA's order: each piece of work knows all that must have ended
 * before it. A byte that no two pieces of work dispute must hold what they leave in the order of the calls.
 */
class RandomStreamsTest {
    private static final int CELLS = 6;
    private static final int CALLS = 60;
    /** The default stream, two that wait for it, two that do not. */
    private static final int STREAMS = 5;
    private static final int EVENTS = 3;

    /** A piece of work: writes a cell, with a number or with what another cell holds; or only a place in a stream. */
    private record Piece(int to, int from, int value, BitSet before) {
        boolean writes() {
            return to >= 0;
        }

        boolean conflictsWith(Piece other) {
            return writes() && other.writes() && (to == other.to || to == other.from || from == other.to);
        }
    }

    private static final class Model {
        private final List<Piece> pieces = new ArrayList<>();
        private final int[] tails = new int[STREAMS];
        private final int[] events = new int[EVENTS];
        /** What later pieces of each stream wait for by events: a wait alone is no piece, as it may be over already. */
        private final BitSet[] awaited = new BitSet[STREAMS];
        /** What the host knows to have ended. */
        private final BitSet known = new BitSet();

        Model() {
            Arrays.fill(tails, -1);
            Arrays.fill(events, -1);
            Arrays.setAll(awaited, i -> new BitSet());
        }

        /** What precedes the next piece in a stream. */
        BitSet ahead(int stream) {
            BitSet before = (BitSet) known.clone();
            before.or(awaited[stream]);
            include(before, tails[stream]);
            for (int other = 0; other < STREAMS; other++) {
                boolean waits = stream == 0 && (other == 1 || other == 2) || other == 0 && (stream == 1 || stream == 2);
                if (waits) {
                    include(before, tails[other]);
                }
            }
            return before;
        }

        /** The host waits for a stream: for what is in it; for the default stream as its next piece would. */
        void await(int stream) {
            if (stream == 0) {
                known.or(ahead(0));
            } else {
                include(known, tails[stream]);
            }
        }

        private void include(BitSet set, int piece) {
            if (piece >= 0) {
                set.set(piece);
                set.or(pieces.get(piece).before);
            }
        }

        void add(int stream, int to, int from, int value) {
            pieces.add(new Piece(to, from, value, ahead(stream)));
            tails[stream] = pieces.size() - 1;
        }

        /** What each cell holds in the end; -1 where that is disputed. */
        int[] cells() {
            int[] cells = new int[CELLS];
            Arrays.fill(cells, 0xAB);
            for (int i = 0; i < pieces.size(); i++) {
                Piece piece = pieces.get(i);
                if (piece.writes()) {
                    cells[piece.to] = isDisputed(i) ? -1 : piece.from >= 0 ? cells[piece.from] : piece.value;
                }
            }
            return cells;
        }

        private boolean isDisputed(int i) {
            for (int j = 0; j < pieces.size(); j++) {
                if (j != i && pieces.get(i).conflictsWith(pieces.get(j))
                        && !pieces.get(Math.max(i, j)).before.get(Math.min(i, j))) {
                    return true;
                }
            }
            return false;
        }
    }

    @Property(tries = 100)
    void everyOrderIsCudas(@ForAll Random random, @ForAll ExecutionOrder order) {
        try (Session s = new Session(order, 1 << 16)) {
            Model model = new Model();
            long memory = s.allocate(CELLS);
            long[] streams = {0, s.stream(), s.stream(), s.nonBlocking(), s.nonBlocking()};
            long[] events = {s.event(), s.event(), s.event()};
            for (int call = 0; call < CALLS; call++) {
                int stream = random.nextInt(STREAMS);
                int cell = random.nextInt(CELLS);
                int event = random.nextInt(EVENTS);
                switch (random.nextInt(12)) {
                    case 0, 1, 2 -> {
                        s.fill(memory + cell, call, 1, streams[stream]);
                        model.add(stream, cell, -1, call);
                    }
                    case 3, 4, 5 -> {
                        int from = (cell + 1 + random.nextInt(CELLS - 1)) % CELLS;
                        ok(s.cuda.cuMemcpyDtoDAsync(memory + cell, memory + from, 1, streams[stream]));
                        model.add(stream, cell, from, 0);
                    }
                    case 6, 7 -> {
                        ok(s.cuda.cuEventRecord(events[event], streams[stream]));
                        model.add(stream, -1, -1, 0);
                        model.events[event] = model.pieces.size() - 1;
                    }
                    case 8, 9 -> {
                        ok(s.cuda.cuStreamWaitEvent(streams[stream], events[event], 0));
                        model.include(model.awaited[stream], model.events[event]);
                    }
                    case 10 -> {
                        ok(s.cuda.cuEventSynchronize(events[event]));
                        model.include(model.known, model.events[event]);
                    }
                    default -> {
                        ok(s.cuda.cuStreamSynchronize(streams[stream]));
                        model.await(stream);
                    }
                }
            }
            ok(s.cuda.cuCtxSynchronize());
            byte[] found = s.look(memory, CELLS);
            int[] expected = model.cells();
            for (int cell = 0; cell < CELLS; cell++) {
                if (expected[cell] >= 0) {
                    assertEquals(expected[cell], found[cell] & 0xFF, "cell " + cell);
                }
            }
        }
    }
}

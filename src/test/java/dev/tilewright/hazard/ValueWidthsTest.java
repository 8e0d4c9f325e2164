package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.FLAGS;
import static dev.tilewright.hazard.OrderKernels.NOTES;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.block;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.thread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A flag is stored in one or two parts and waited for as a whole, or in part: every pair of stores of 4 or 8 bytes,
 * each with and without release semantics, and every load of 4 or 8 bytes, in both spaces. Only a load of just the
 * bytes that a store releases acquires, and others must not be waited for at all.
 */
class ValueWidthsTest {
    private static final Expr WORD = Expr.of(0);
    private static final List<Part> PARTS = List.of(new Part(0, 4), new Part(4, 4), new Part(0, 8));

    /** Bytes of the flag. */
    private record Part(int offset, int bytes) {
        boolean overlaps(Part other) {
            return offset < other.offset + other.bytes && other.offset < offset + bytes;
        }

        DataType type() {
            return bytes == 4 ? DataType.U32 : DataType.U64;
        }

        /** What it holds where each word of it holds a number. */
        Expr of(long low, long high) {
            return bytes == 8 ? Expr.of(high << 32 | low) : Expr.of((int) (offset == 0 ? low : high));
        }

        Address in(Space space) {
            return space == Space.GLOBAL ? new Address.Global(FLAGS, offset)
                    : NOTES.at(offset);
        }
    }

    private record Stored(Part part, boolean releases) {
    }

    private record Case(List<Stored> stores, Part waited, Space space) {
        /** Whether some of the bytes that are waited for are left by a store of other bytes. */
        boolean isMixed() {
            return IntStream.of(0, 4).filter(o -> waited.overlaps(new Part(o, 4))).mapToLong(this::word)
                    .anyMatch(last -> last != 0 && !stores.get((int) last - 1).part.equals(waited));
        }

        boolean isOrdered() {
            return !isMixed() && stores.stream().anyMatch(s -> s.part.equals(waited) && s.releases);
        }

        /** What a word of the flag holds in the end: the number of the last store there. */
        private long word(int offset) {
            long last = 0;
            for (int i = 0; i < stores.size(); i++) {
                last = stores.get(i).part.overlaps(new Part(offset, 4)) ? i + 1 : last;
            }
            return last;
        }

        HazardReport check() {
            Scope scope = space == Space.GLOBAL ? Scope.GPU : Scope.CTA;
            Consumer<Body> writer = b -> {
                move(b, "write", at(SOURCE, WORD), at(WORK, WORD));
                for (int i = 0; i < stores.size(); i++) {
                    Part part = stores.get(i).part;
                    b.purpose("store " + i).issue(stores.get(i).releases ? St.release(scope, space, part.type())
                            : St.relaxed(scope, space, part.type()), Input.of(part.in(space)),
                            Input.of(part.of(i + 1, i + 1)));
                }
            };
            Consumer<Body> reader = b -> {
                poll(b, "wait", Ld.acquire(scope, space, waited.type()), waited.in(space),
                        v -> v.isEqualTo(waited.of(word(0), word(4))));
                read(b, "read", at(WORK, WORD), at(RESULT, WORD));
            };
            return space == Space.GLOBAL
                    ? OrderKernels.inManyOrders(2, 1, body -> {
                        block(body, 0, b -> thread(b, 0, writer));
                        block(body, 1, b -> thread(b, 0, reader));
                    })
                    : OrderKernels.inManyOrders(1, 1, body -> {
                        body.purpose("cleared").when(OrderKernels.T.isEqualTo(0), b -> b.purpose("clear").issue(
                                St.relaxed(Scope.CTA, space, DataType.U64), Input.of(NOTES.at(WORD)), Input.of(0L)));
                        body.purpose("all see it").syncThreads();
                        thread(body, 0, writer);
                        thread(body, 32, reader);
                    });
        }
    }

    private static Stream<Case> all() {
        List<Stored> stores = PARTS.stream().flatMap(p -> Stream.of(new Stored(p, true), new Stored(p, false)))
                .toList();
        return Stream.of(Space.GLOBAL, Space.SHARED_CTA).flatMap(space -> PARTS.stream().flatMap(waited ->
                stores.stream().flatMap(first -> Stream.concat(Stream.of(List.of(first)),
                        stores.stream().map(second -> List.of(first, second)))
                        .map(list -> new Case(list, waited, space)))));
    }

    @Test
    void onlyALoadOfWhatIsReleasedAcquires() {
        List<Case> cases = all().filter(Thorough.share(5)).toList();
        for (Case c : cases) {
            HazardReport report = c.check();
            assertEquals(c.isOrdered(), report.isClean(), () -> c + "\n" + report);
            if (c.isMixed()) {
                Finding first = report.findings().getFirst();
                assertEquals(HazardCode.FLAG_NOT_ACQUIRED, first.code(), () -> c + "\n" + report);
                assertEquals("wait", first.purpose(), () -> c + "\n" + report);
                assertTrue(first.fix().contains("the same bytes"), () -> c + "\n" + report);
            }
        }
        assertTrue(cases.stream().anyMatch(Case::isOrdered) && cases.stream().anyMatch(Case::isMixed));
    }
}

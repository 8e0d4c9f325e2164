package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How runs end, each end once, and an order that leads to it. */
final class Endings {
    private static final String STUCK = "threads wait for ever";

    private final Launched launched;
    private final Facts facts;
    private final Map<String, Order> all = new LinkedHashMap<>();

    Endings(Launched launched, Facts facts) {
        this.launched = launched;
        this.facts = facts;
    }

    /** Whether two differ, or one is a mistake. */
    boolean isWrong() {
        return all.size() > 1 || all.keySet().stream().anyMatch(Exploration::isBad);
    }

    List<String> texts() {
        return List.copyOf(all.keySet());
    }

    List<Order> orders() {
        return List.copyOf(all.values());
    }

    /** A run that cannot go on. */
    void goesWrong(World w, String why) {
        add(why, w, List.of(), List.of(), Set.of());
    }

    private void add(String end, World w, List<Move> stuck, List<byte[]> memory, Set<Trail> telling) {
        all.computeIfAbsent(end, _ -> new Order(Trail.moves(w.trail, launched, telling), stuck,
                Exploration.isBad(end) ? end : "", memory));
    }

    /** A run in which nothing moves any more. */
    void ended(World w) {
        List<Move> stuck = Arrays.stream(w.threads).filter(t -> !t.finished).map(t -> new Move(w.block(t.number),
                t.number % launched.threadsPerBlock,
                launched.code.steps.get(t.pc - (t.atSync || t.members != 0 || t.named != 0 ? 1 : 0)), Move.Kind.STEP,
                "", "", false, false, false)).toList();
        if (!stuck.isEmpty()) {
            add(STUCK, w, stuck, List.of(), Set.of());
            return;
        }
        for (Barrier b : w.barriers) {
            facts.bytesLeft |= b.life == Barrier.Life.VALID && b.bytes != 0;
        }
        List<byte[]> memory = launched.memory();
        for (int c = 0; c < w.writes.length; c++) {
            if (!launched.cells.isShared(c)) {
                int value = w.writes[c].getLast().value();
                if (launched.values.hasUndefined(value)) {
                    add(Explorer.UNDEFINED, w, List.of(), List.of(), Trail.about(w.trail, c, launched));
                    return;
                }
                Cells.Range at = launched.cells.range(c);
                short[] bytes = launched.values.bytes(value);
                for (int i = 0; i < bytes.length; i++) {
                    memory.get(at.space())[at.from() + i] = (byte) bytes[i];
                }
            }
        }
        Key key = new Key();
        memory.forEach(key::add);
        String end = Exploration.BYTES + " " + key.print();
        if (!all.containsKey(end)) {
            add(end, w, List.of(), memory, all.isEmpty() ? Set.of()
                    : Trail.about(w.trail, differing(all.values().iterator().next().memory(), memory), launched));
        }
    }

    /** The first cell whose bytes differ. */
    private int differing(List<byte[]> one, List<byte[]> other) {
        for (int c = 0; c < launched.cells.count(); c++) {
            Cells.Range at = launched.cells.range(c);
            if (!launched.cells.isShared(c) && !Arrays.equals(one.get(at.space()), at.from(), at.to(),
                    other.get(at.space()), at.from(), at.to())) {
                return c;
            }
        }
        throw new IllegalStateException("the same bytes twice");
    }
}

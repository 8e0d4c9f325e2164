package dev.tilewright.verify.draw;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What threads of a block do that need each other: see {@link RoleStep}. */
final class RoleMeetings {

    private RoleMeetings() { }

    private static RoleThread find(List<RoleThread> threads, int number) {
        return threads.stream().filter(t -> t.number == number).findFirst().orElseThrow();
    }

    private static int indexOf(RoleNumber number, RoleThread t) {
        return number.bitAnd(RoleMemory.WORDS - 1).value().applyAsInt(t);
    }

    private static Expr indexOf(RoleNumber number) {
        return number.bitAnd(RoleMemory.WORDS - 1).text().get();
    }

    /** Where the words of a kernel lie. @param slots is known when all is drawn */
    interface Places {
        Address.Global out(Expr slot);
    }

    // ---- alone

    /** How a thread leaves something of its own. */
    enum ShowKind { WORD, NUMBER, CP_ASYNC }

    /** A thread leaves the word of a number, or the number. @param staged for cp.async: a piece for each thread */
    record Show(ShowKind kind, int slot, RoleNumber number, Places places, SharedRegion.Buffer staged)
            implements RoleStep {
        @Override
        public void write(Body body) {
            Address.Global to = places.out(Expr.of(slot));
            switch (kind) {
                case WORD -> RoleMemory.move(body, RoleMemory.in(indexOf(number)), to);
                case NUMBER -> RoleMemory.leave(body, to, number.text().get());
                case CP_ASYNC -> {
                    Address.Shared own = staged.at(Builtin.THREAD.times(RoleMemory.WORD));
                    body.cpAsync(own, RoleMemory.in(indexOf(number)), RoleMemory.WORD);
                    body.cpAsyncCommit();
                    body.cpAsyncWait(0);
                    RoleMemory.move(body, own, to);
                }
            }
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.forEach(t -> memory.show(t, slot, kind == ShowKind.NUMBER ? number.value().applyAsInt(t)
                    : memory.word(indexOf(number, t))));
        }
    }

    /** A thread moves a word of its own or of a neighbour to the other one: only in a kernel that has races. */
    record Look(Places from, int fromSlot, Places to, int toSlot) implements RoleStep {
        @Override
        public void write(Body body) {
            RoleMemory.move(body, from.out(Expr.of(fromSlot)), to.out(Expr.of(toSlot)));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            throw new IllegalStateException("what comes of it depends on the order");
        }
    }

    // ---- rings

    /** How a ring is written: each member's turns under a guard of its own, the other way round, or by position. */
    enum RingKind { LOOPS_IN_GUARDS, GUARDS_IN_LOOP, BY_POSITION }

    /**
     * Threads hand a cell on, one after the other, several times around: each leaves what it finds, and puts something
     * else there. Each waits at a barrier of its own, at which the one before it arrives.
     *
     * @param first the first member, and {@code step} the distance of the next; members one behind the other in numbers
     * @param outer the turn of the loop around, or null
     * @param counts whether the cell is computed with, or moved as it is
     * @param careless the member that does not wait, in a kernel that has races; -1 for none
     */
    record Ring(RingKind kind, int first, int step, int count, int rounds, RoleNumber outer, boolean counts, int slot,
            RoleNumber number, Places places, SharedRegion.Barriers barriers, SharedRegion.Buffer cell, int careless)
            implements RoleStep {
        @Override
        public void write(Body body) {
            switch (kind) {
                case LOOPS_IN_GUARDS -> {
                    for (int i = 0; i < count; i++) {
                        int member = i;
                        body.when(Builtin.THREAD.isEqualTo(first + i * step),
                                b -> b.loop("round", rounds, (each, r) -> turn(each, Expr.of(member), member, r)));
                    }
                }
                case GUARDS_IN_LOOP -> body.loop("round", rounds, (each, r) -> {
                    for (int i = 0; i < count; i++) {
                        int member = i;
                        each.when(Expr.of(first + i * step).isEqualTo(Builtin.THREAD),
                                b -> turn(b, Expr.of(member), member, r));
                    }
                });
                case BY_POSITION -> {
                    Expr at = Builtin.THREAD.minus(first);
                    body.when(at.atLeast(0).and(at.lessThan(count * step)).and(at.modulo(step).isEqualTo(0)),
                            b -> b.loop("round", rounds, (each, r) -> turn(each, at.dividedBy(step), -1, r)));
                }
            }
        }

        /** @param member its number, or -1 where only an expression says */
        private void turn(Body b, Expr position, int member, Expr round) {
            Expr turn = outer == null ? round : outer.text().get().times(rounds).plus(round);
            if (member < 0 || member != careless) {
                if (member < 0) {
                    // On a fresh barrier the wait for the phase before the first passes.
                    b.waitParity(barriers.at(position), turn.plus(position.isEqualTo(0).choose(1, 0))
                            .bitAnd(1));
                } else if (member == 0) {
                    b.when(turn.greaterThan(0), again ->
                            again.waitParity(barriers.at(position), turn.minus(1).bitAnd(1)));
                } else {
                    b.waitParity(barriers.at(position), turn.bitAnd(1));
                }
            }
            Address.Global own = places.out(round.plus(slot));
            if (counts) {
                Value found = b.load("found", ValueType.I32, cell.at(0));
                b.store(own, found);
                b.store(cell.at(0), found.times(Value.i32(3)).plus(Builtin.THREAD.toValue()));
            } else {
                RoleMemory.move(b, cell.at(0), own);
                RoleMemory.move(b, RoleMemory.in(indexOf(number)), cell.at(0));
            }
            b.arrive(barriers.at(position.plus(1).modulo(count)));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < count; i++) {
                    RoleThread t = find(threads, first + i * step);
                    memory.show(t, slot + round, memory.cell(t.block, cell));
                    memory.cell(t.block, cell, counts ? memory.cell(t.block, cell) * 3 + t.number
                            : memory.word(indexOf(number, t)));
                }
            }
        }
    }

    // ---- from some to others

    /** Some put words into shared memory and arrive; others wait and look. @param source who puts what they look at */
    record HandOver(RoleNumber.Condition gives, RoleNumber.Condition takes, int source, int slot, RoleNumber number,
            Places places, SharedRegion.Barriers full, SharedRegion.Buffer words, boolean careless)
            implements RoleStep {
        @Override
        public void write(Body body) {
            body.when(gives.text().get(), b -> {
                RoleMemory.move(b, RoleMemory.in(indexOf(number)), words.at(Builtin.THREAD.times(RoleMemory.WORD)));
                b.arrive(full.at(0));
            });
            body.when(takes.text().get(), b -> {
                if (!careless) {
                    b.waitParity(full.at(0), 0);
                }
                RoleMemory.move(b, words.at(RoleMemory.WORD * source), places.out(Expr.of(slot)));
            });
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            for (RoleThread t : threads) {
                if (takes.holds().test(t)) {
                    memory.show(t, slot, memory.word(indexOf(number, find(threads, source))));
                }
            }
        }
    }

    /** One thread starts a bulk load; some wait for it. @param from the word that it begins with */
    record BulkLoad(int by, RoleNumber.Condition takes, int from, int slot, Places places, SharedRegion.Barriers full,
            SharedRegion.Buffer piece, boolean careless) implements RoleStep {
        @Override
        public void write(Body body) {
            body.when(Builtin.THREAD.isEqualTo(by), b -> {
                b.arriveExpectTx(full.at(0), RoleMemory.PIECE);
                b.bulkLoad(piece.at(0), RoleMemory.in(Expr.of(from)), RoleMemory.PIECE, full.at(0));
            });
            body.when(takes.text().get(), b -> {
                if (!careless) {
                    b.waitParity(full.at(0), 0);
                }
                RoleMemory.move(b, piece.at(Builtin.THREAD.bitAnd(3).times(RoleMemory.WORD)),
                        places.out(Expr.of(slot)));
            });
            // The thread that ends last has waited, so that nothing is in flight then.
            body.when(Builtin.THREAD.isEqualTo(by), b -> b.waitParity(full.at(0), 0));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.stream().filter(takes.holds())
                    .forEach(t -> memory.show(t, slot, memory.word(from + (t.number & 3))));
        }
    }

    /** One thread stores a piece by a bulk copy. @param waits 0 for no wait, 1 until it is read, 2 until written */
    record BulkStore(int by, int from, int waits, int threadsOfBlock, SharedRegion.Buffer piece) implements RoleStep {
        @Override
        public void write(Body body) {
            body.when(Builtin.THREAD.isEqualTo(by), b -> {
                b.store(piece.at(0), b.load("words", ElementType.U32, 4, RoleMemory.in(Expr.of(from))));
                b.proxyFence(FenceProxyAsync.Memory.SHARED);
                b.bulkStore(RoleMemory.piece(threadsOfBlock, Builtin.THREAD), piece.at(0), RoleMemory.PIECE);
                b.bulkCommit();
                if (waits == 1) {
                    b.bulkWaitRead(0);
                } else if (waits == 2) {
                    b.bulkWait(0);
                }
            });
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            memory.storePiece(find(threads, by), from);
        }
    }

    // ---- meeting

    /** What threads meet at. */
    enum MeetingKind { BLOCK, WARP, NAMED }

    /** The lanes of each warp that come to a place, a mask each. */
    static Map<Integer, Integer> masks(List<RoleThread> threads) {
        return threads.stream().collect(Collectors.toMap(t -> t.number / Warp.LANES, t -> 1 << t.number % Warp.LANES,
                (a, b) -> a | b, TreeMap::new));
    }

    private static Expr byWarp(Map<Integer, Integer> numbers) {
        Expr chosen = Expr.of(0);
        for (Map.Entry<Integer, Integer> e : numbers.entrySet()) {
            chosen = numbers.size() == 1 ? Expr.of(e.getValue())
                    : Builtin.THREAD.dividedBy(Warp.LANES).isEqualTo(e.getKey()).choose(Expr.of(e.getValue()), chosen);
        }
        return chosen;
    }

    /**
     * All that come put a word into shared memory, meet, and look at that of another one.
     *
     * @param id of the named barrier, if it is one
     * @param who come: the same threads in each block
     * @param partner whose word a thread looks at
     */
    record Exchange(MeetingKind kind, int id, List<RoleThread> who, Map<Integer, Integer> partner, int slot,
            RoleNumber number, Places places, SharedRegion.Buffer words, boolean careless) implements RoleStep {
        @Override
        public void write(Body body) {
            RoleMemory.move(body, RoleMemory.in(indexOf(number)), words.at(Builtin.THREAD.times(RoleMemory.WORD)));
            if (!careless) {
                switch (kind) {
                    case BLOCK -> body.syncThreads();
                    case WARP -> body.warp(byWarp(masks(who))).sync();
                    case NAMED -> body.namedBarrier(id, who.size()).sync();
                }
            }
            Map<Integer, Integer> masks = masks(who);
            Expr other = kind == MeetingKind.WARP ? byWarp(masks.keySet().stream().collect(Collectors.toMap(w -> w,
                    w -> partner.get(w * Warp.LANES + Integer.numberOfTrailingZeros(masks.get(w))), (a, _) -> a,
                    TreeMap::new)))
                    : Expr.of(partner.get(who.getFirst().number));
            RoleMemory.move(body, words.at(other.times(RoleMemory.WORD)), places.out(Expr.of(slot)));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.forEach(t -> memory.show(t, slot,
                    memory.word(indexOf(number, find(threads, partner.get(t.number))))));
        }
    }

    /** All that come of each warp take the value of one of its lanes. @param partner whose, for each thread */
    record Shuffle(List<RoleThread> who, Map<Integer, Integer> partner, int slot, RoleNumber number, Places places)
            implements RoleStep {
        @Override
        public void write(Body body) {
            Map<Integer, Integer> masks = masks(who);
            Expr lane = byWarp(masks.keySet().stream().collect(Collectors.toMap(w -> w,
                    w -> partner.get(w * Warp.LANES + Integer.numberOfTrailingZeros(masks.get(w))) % Warp.LANES,
                    (a, _) -> a, TreeMap::new)));
            body.store(places.out(Expr.of(slot)),
                    body.warp(byWarp(masks)).shuffleIndex(number.text().get().toValue(), lane));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.forEach(t -> memory.show(t, slot, number.value().applyAsInt(find(threads, partner.get(t.number)))));
        }
    }
}

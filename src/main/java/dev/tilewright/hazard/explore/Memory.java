package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Write.Note;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes. A read may see any write that is not older than one which the reader knows of (PTX ISA,
 * "Memory Consistency Model": causality and coherence); the copy engine knows of ordinary writes only what a proxy
 * fence has shown it ("Proxies"). Cells for which no thread races hold one write that all may see.
 */
final class Memory {
    private final World w;
    private final Cells cells;
    private final Values values;
    private final Chooser chooser;
    private final Facts facts;

    /** Who accesses memory: a thread, or a copy for the thread that started it. */
    record Agent(int thread, int bit, View view, boolean async) {
        int known(int cell) {
            return async ? view.async.get(cell) : view.generic.get(cell);
        }
    }

    Memory(World w, Chooser chooser, Facts facts) {
        this.w = w;
        this.cells = w.launched.cells;
        this.values = w.launched.values;
        this.chooser = chooser;
        this.facts = facts;
    }

    /** Whether an access commutes with all that others may do until something orders them. */
    static boolean isLocal(Cells cells, int[] at) {
        for (int c : at) {
            if (cells.isWatched(c)) {
                return false;
            }
        }
        return true;
    }

    short[] read(Agent agent, int[] at) {
        int[] parts = new int[at.length];
        for (int i = 0; i < at.length; i++) {
            parts[i] = w.writes[at[i]].get(seen(agent, at[i], null)).value();
        }
        return join(at, parts);
    }

    /** Reads one cell by an access with a scope. @return which of its writes is seen */
    Write readScoped(Agent agent, int cell, Scope scope) {
        return w.writes[cell].get(seen(agent, cell, scope));
    }

    private int seen(Agent agent, int cell, Scope scope) {
        requireAlive(cell);
        int known = agent.known(cell);
        int last = w.writes[cell].size() - 1;
        int seen = last;
        if (known < last) {
            if (!strong(agent.thread, scope, cell, known)) {
                facts.race(cells, cell, "a read that may come before a write");
            } else {
                facts.meeting(cells, cell);
            }
            if (cells.isWatched(cell)) {
                seen = last - chooser.pick(last - known + 1);
                if (seen < last) {
                    w.trail.seesOlder();
                }
            }
        }
        w.trail.touches(cell, false, cells.isWatched(cell), w.writes[cell].get(seen).value());
        if (agent.async) {
            agent.view.async.raise(cell, seen);
        }
        agent.view.generic.raise(cell, seen);
        mark(agent, cell);
        return seen;
    }

    /** Takes note that a thread or copy has read, now, whatever was known before. */
    private void mark(Agent agent, int cell) {
        if (w.readers.has(cell, agent.bit)) {
            w.forEachView(v -> v.reads.remove(cell, agent.bit));
        }
        w.readers.add(cell, agent.bit);
        agent.view.reads.add(cell, agent.bit);
    }

    /** Whether all writes to the cell that are not known are such that an access with this scope may meet them. */
    private boolean strong(int thread, Scope scope, int cell, int known) {
        if (scope == null) {
            return false;
        }
        List<Write> all = w.writes[cell];
        for (int i = known + 1; i < all.size(); i++) {
            if (!isStrong(thread, scope, all.get(i))) {
                return false;
            }
        }
        return true;
    }

    boolean isStrong(int thread, Scope scope, Write write) {
        return write.scope() != null && w.includes(scope, thread, write.writer())
                && w.includes(write.scope(), write.writer(), thread);
    }

    void write(Agent agent, int[] at, short[] bytes) {
        int from = 0;
        for (int c : at) {
            write(agent, c, values.number(part(bytes, from, cells.bytes(c))), null, List.of());
            from += cells.bytes(c);
        }
    }

    void write(Agent agent, int cell, int value, Scope scope, List<Note> notes) {
        requireAlive(cell);
        List<Write> all = w.writes[cell];
        int known = agent.known(cell);
        int last = all.size() - 1;
        if (known < last && !strong(agent.thread, scope, cell, known)) {
            facts.race(cells, cell, "two writes in no order");
        } else if (known < last) {
            facts.meeting(cells, cell);
        }
        meetReaders(agent, cell, scope);
        w.trail.touches(cell, true, cells.isWatched(cell), value);
        int at = all.size();
        if (agent.async && known < last && cells.isWatched(cell)) {
            at -= chooser.pick(last - known + 1);
        }
        insert(agent, cell, at, new Write(value, agent.thread, scope, notes));
    }

    private void insert(Agent agent, int cell, int at, Write write) {
        List<Write> writes = new ArrayList<>(w.writes[cell]);
        writes.add(at, write);
        w.writes[cell] = writes;
        if (at < writes.size() - 1 || !w.readers.isEmpty(cell)) {
            w.readers.clear(cell);
            w.forEachView(v -> {
                v.reads.clear(cell);
                if (v.generic.get(cell) >= at) {
                    v.generic.set(cell, v.generic.get(cell) + 1);
                }
                if (v.async.get(cell) >= at) {
                    v.async.set(cell, v.async.get(cell) + 1);
                }
            });
        }
        agent.view.generic.raise(cell, at);
        if (agent.async) {
            agent.view.async.raise(cell, at);
        }
    }

    /** What an atomic update found. @param seen the write that it follows */
    record Update(Write seen, long old) { }

    /** The write that an update by this thread follows: the newest that it must be atomic with. */
    private Write updated(Agent agent, int cell, Scope scope, boolean reads) {
        requireAlive(cell);
        List<Write> all = w.writes[cell];
        int known = agent.known(cell);
        int last = all.size() - 1;
        int seen = last;
        if (known < last && !strong(agent.thread, scope, cell, known)) {
            facts.race(cells, cell, "an update that need not be atomic with another access");
            if (cells.isWatched(cell)) {
                seen = last - chooser.pick(last - known + 1);
            }
        } else if (known < last && reads) {
            facts.meeting(cells, cell);
        }
        meetReaders(agent, cell, scope);
        w.trail.touches(cell, true, cells.isWatched(cell), all.get(seen).value());
        return all.get(seen);
    }

    /** A write to a cell that others may be reading: a race, unless it has a scope and so may the reads have. */
    private void meetReaders(Agent agent, int cell, Scope scope) {
        if (w.readers.hasMore(cell, agent.view.reads, agent.bit)) {
            if (scope == null) {
                facts.race(cells, cell, "a write that may come before a read");
            } else {
                facts.meeting(cells, cell);
            }
        }
    }

    /** Updates a cell that is one value. @param notes handed on besides those of the write that it follows */
    Update update(Agent agent, int cell, Scope scope, AtomicOp op, DataType type, long value, long other,
            List<Note> notes) {
        Write seen = updated(agent, cell, scope, true);
        long old = Values.toLong(values.bytes(seen.value()));
        mark(agent, cell);
        List<Note> all = new ArrayList<>(notes);
        seen.notes().forEach(n -> all.add(n.copy()));
        long now = combine(op, type, old, value, other);
        insert(agent, cell, w.writes[cell].size(),
                new Write(values.number(Values.of(now, type.bytes())), agent.thread, scope, all));
        return new Update(seen, old);
    }

    /** Reduces elements into cells, each atomic by itself. */
    void reduce(Agent agent, int[] at, AtomicOp op, DataType type, short[] bytes, Scope scope) {
        int from = 0;
        for (int c : at) {
            Write seen = updated(agent, c, scope, false);
            short[] old = values.bytes(seen.value());
            short[] now = new short[old.length];
            for (int i = 0; i < old.length; i += type.bytes()) {
                if (hasUndefined(old, i, type.bytes()) || hasUndefined(bytes, from + i, type.bytes())) {
                    throw new Ending(Explorer.UNDEFINED);
                }
                long result = combine(op, type, Values.toLong(part(old, i, type.bytes())),
                        Values.toLong(part(bytes, from + i, type.bytes())), 0);
                System.arraycopy(Values.of(result, type.bytes()), 0, now, i, type.bytes());
            }
            insert(agent, c, w.writes[c].size(), new Write(values.number(now), agent.thread, scope, List.of()));
            from += cells.bytes(c);
        }
    }

    private static boolean hasUndefined(short[] bytes, int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (bytes[i] == Values.UNDEFINED) {
                return true;
            }
        }
        return false;
    }

    private static long combine(AtomicOp op, DataType type, long old, long value, long other) {
        boolean wide = type.bytes() == 8;
        return switch (op) {
            case ADD -> wide ? old + value : (int) (old + value);
            case AND -> old & value;
            case OR -> old | value;
            case XOR -> old ^ value;
            case EXCH -> value;
            case CAS -> old == value ? other : old;
            case MIN -> type == DataType.S32 ? Math.min(old, value) : unsupported(op);
            case MAX -> type == DataType.S32 ? Math.max(old, value) : unsupported(op);
            case INC, DEC -> unsupported(op);
        };
    }

    private static long unsupported(AtomicOp op) {
        throw new Unsupported(op.toString());
    }

    private void requireAlive(int cell) {
        if (cells.isShared(cell)) {
            w.requireThere(cells.block(cell));
        }
    }

    short[] join(int[] at, int[] parts) {
        int bytes = 0;
        for (int c : at) {
            bytes += cells.bytes(c);
        }
        short[] all = new short[bytes];
        int to = 0;
        for (int part : parts) {
            short[] one = values.bytes(part);
            System.arraycopy(one, 0, all, to, one.length);
            to += one.length;
        }
        return all;
    }

    static short[] part(short[] bytes, int from, int count) {
        return java.util.Arrays.copyOfRange(bytes, from, from + count);
    }
}

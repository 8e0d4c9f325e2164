package dev.tilewright.verify.draw;

import dev.tilewright.Counted;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.NamedBarrier;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A kernel whose threads have roles by their numbers, within a warp, too: guards within guards, early ends, loops with
 * other counts for each thread, rings of mbarriers between lanes, words handed over, bulk copies, and meetings of those
 * who come; and what it leaves, computed thread by thread. It may have races: then only the order of turns, not a
 * direct computation, says what it leaves.
 */
public final class RolePrograms {
    private static final int MOST_DEPTH = 4;
    private static final int MOST_STEPS = 14;

    private final DrawnChoices choices;
    private final boolean races;
    private final int threads;
    private final int blocks;
    /** Whether threads come together otherwise than at mbarriers and the block's. */
    private final boolean meets;
    private final List<SharedRegion> regions = new ArrayList<>();
    private final List<Consumer<Body>> setUp = new ArrayList<>();
    private final Expr[] names = new Expr[64];
    private final Set<Integer> storing = new LinkedHashSet<>();
    private final RoleStep.Sequence body;
    private int variables;
    private int slots;
    private int budget;
    private int named;

    /**
     * Where steps are drawn.
     *
     * @param who comes here, block by block; null where that depends on more than numbers of threads and blocks
     * @param turn of the one loop around that all take together, or null
     */
    private record Context(List<List<RoleThread>> who, RoleNumber turn, List<RoleNumber> variables, int depth) {

        Context of(List<List<RoleThread>> others) {
            return new Context(others, turn, new ArrayList<>(variables), depth + 1);
        }

        /** The threads, where they are the same in each block. */
        List<RoleThread> same() {
            if (who == null || who.getFirst().isEmpty()) {
                return List.of();
            }
            List<Integer> first = numbers(who.getFirst());
            return who.stream().allMatch(w -> numbers(w).equals(first)) ? who.getFirst() : List.of();
        }

        static List<Integer> numbers(List<RoleThread> threads) {
            return threads.stream().map(t -> t.number).toList();
        }
    }

    /** @param races whether some waits are left out, and neighbours look at each other's words */
    public RolePrograms(long seed, boolean races) {
        this(DrawnChoices.random(seed), races);
    }

    RolePrograms(DrawnChoices choices, boolean races) {
        this.choices = choices;
        this.races = races;
        this.blocks = choices.between(1, 3);
        this.meets = choices.oneIn(6);
        this.threads = meets ? Warp.LANES * choices.between(1, 2) : choices.between(2, choices.oneIn(4) ? 70 : 24);
        this.budget = MOST_STEPS;
        List<List<RoleThread>> all = IntStream.range(0, blocks).mapToObj(b -> IntStream.range(0, threads)
                .mapToObj(t -> new RoleThread(b, t, names.length)).toList()).toList();
        this.body = sequence(new Context(all, null, new ArrayList<>(), 0));
    }

    // ---- drawing

    private RoleStep.Sequence sequence(Context c) {
        List<RoleStep> steps = new ArrayList<>();
        for (int n = choices.between(1, 4); n > 0 && budget > 0; n--) {
            budget--;
            steps.add(step(c));
        }
        return new RoleStep.Sequence(steps);
    }

    private RoleStep step(Context c) {
        boolean deep = c.depth >= MOST_DEPTH;
        return switch (choices.below(16)) {
            case 0 -> show(c);
            case 1, 2 -> let(c);
            case 3, 4, 5, 6 -> deep ? show(c) : guard(c);
            case 7 -> deep ? show(c) : loop(c);
            case 8 -> deep || c.turn != null ? show(c) : together(c);
            case 9, 10, 11, 12 -> ring(c);
            case 13 -> handOver(c);
            case 14 -> choices.flag() ? bulkLoad(c) : bulkStore(c);
            default -> meeting(c);
        };
    }

    private RoleNumber number(Context c) {
        return RoleNumber.draw(choices, c.variables, 2);
    }

    private int slots(int count) {
        int first = slots;
        slots += count;
        return first;
    }

    private RoleStep show(Context c) {
        if (races && choices.oneIn(3)) {
            Expr neighbour = Builtin.THREAD.plus(choices.between(1, 3)).modulo(threads);
            RoleMeetings.Places others = slot -> RoleMemory.out(threads, slots, neighbour, slot);
            if (!storing.isEmpty() && choices.flag()) {
                Expr stores = Expr.of(choices.one(List.copyOf(storing)));
                return new RoleMeetings.Look(_ -> RoleMemory.piece(threads, stores), 0, this::own, slots(1));
            }
            boolean takes = choices.flag();
            int before = choices.below(slots + 1);
            return new RoleMeetings.Look(takes ? others : this::own, before, takes ? this::own : others, slots(1));
        }
        RoleMeetings.ShowKind kind = choices.of(RoleMeetings.ShowKind.values());
        return new RoleMeetings.Show(kind, slots(1), number(c), this::own,
                kind == RoleMeetings.ShowKind.CP_ASYNC ? buffer(RoleMemory.WORD * threads) : null);
    }

    private RoleStep let(Context c) {
        int place = place();
        RoleNumber number = number(c).modulo(97);
        c.variables.add(variable(place));
        return new RoleStep.Let(place, number, names);
    }

    private int place() {
        if (variables == names.length) {
            throw new Redraw("too many variables");
        }
        return variables++;
    }

    private RoleNumber variable(int place) {
        return new RoleNumber(() -> names[place], t -> t.variables[place]);
    }

    private RoleStep guard(Context c) {
        boolean known = c.who != null && !choices.oneIn(4);
        RoleNumber.Condition condition = RoleNumber.condition(choices, known ? List.of() : c.variables, 1);
        Context yes = c.of(known ? split(c.who, condition, true) : null);
        Context no = c.of(known ? split(c.who, condition, false) : null);
        return new RoleStep.Guard(condition, sequence(yes),
                choices.flag() ? sequence(no) : new RoleStep.Sequence(List.of()));
    }

    private static List<List<RoleThread>> split(List<List<RoleThread>> who, RoleNumber.Condition condition,
            boolean yes) {
        return who.stream().map(w -> w.stream().filter(t -> condition.holds().test(t) == yes).toList()).toList();
    }

    /** A loop that each thread takes by itself, as often as it says. */
    private RoleStep loop(Context c) {
        RoleStep.LoopKind kind = choices.of(RoleStep.LoopKind.values());
        int constant = kind == RoleStep.LoopKind.UNROLLED ? choices.between(1, 3) : -1;
        RoleNumber turns = constant < 0 ? number(c).bitAnd(3) : RoleNumber.of(constant);
        int place = place();
        Context inner = new Context(null, null, new ArrayList<>(c.variables), c.depth + 1);
        inner.variables.add(variable(place));
        List<RoleStep> steps = new ArrayList<>(choices.oneIn(4) ? List.of() : sequence(inner).steps());
        if (choices.oneIn(4)) {
            steps.add(new RoleStep.Guard(RoleNumber.condition(choices, inner.variables, 0),
                    new RoleStep.Sequence(List.of(new RoleStep.Jump(choices.flag()))),
                    new RoleStep.Sequence(List.of())));
            steps.addAll(sequence(inner).steps());
        }
        return new RoleStep.Loop(kind, place, turns, constant, new RoleStep.Sequence(steps), names);
    }

    /** A loop that all who come take together, so that they may meet in it. */
    private RoleStep together(Context c) {
        int turns = choices.between(1, 3);
        int place = place();
        Context inner = new Context(c.who, variable(place), new ArrayList<>(c.variables), c.depth + 1);
        inner.variables.add(variable(place));
        return new RoleStep.Loop(choices.of(RoleStep.LoopKind.values()), place, RoleNumber.of(turns), turns,
                sequence(inner), names);
    }

    private RoleStep ring(Context c) {
        List<Integer> same = Context.numbers(c.same());
        if (same.isEmpty()) {
            return show(c);
        }
        int first = choices.one(same);
        int step = choices.between(1, 8);
        int most = 1;
        while (most < 6 && same.contains(first + most * step)) {
            most++;
        }
        int count = choices.between(1, most);
        int rounds = choices.between(1, 3);
        RoleMeetings.RingKind kind = choices.of(RoleMeetings.RingKind.values());
        SharedRegion.Buffer cell = buffer(RoleMemory.PIECE);
        setUp.add(one -> one.store(cell.at(0), Value.i32(0)));
        int careless = races && choices.oneIn(4) ? choices.below(count) : -1;
        return new RoleMeetings.Ring(kind, first, step, count, rounds, c.turn, choices.flag(), slots(rounds), number(c),
                this::own, barriers(count, 1), cell, careless);
    }

    private RoleStep handOver(Context c) {
        List<RoleThread> same = c.same();
        if (same.isEmpty() || c.turn != null) {
            return ring(c);
        }
        RoleNumber.Condition drawn = RoleNumber.condition(choices, List.of(), 1);
        Context of = c.of(split(c.who, drawn, true));
        boolean fits = !of.same().isEmpty();
        List<RoleThread> givers = fits ? of.same() : same;
        return new RoleMeetings.HandOver(fits ? drawn : RoleNumber.THREAD.is(1, RoleNumber.of(0)),
                RoleNumber.condition(choices, List.of(), 1), choices.one(Context.numbers(givers)), slots(1), number(c),
                this::own, barriers(1, givers.size()), buffer(RoleMemory.WORD * threads), races && choices.oneIn(3));
    }

    private RoleStep bulkLoad(Context c) {
        List<RoleThread> same = c.same();
        if (same.isEmpty() || c.turn != null) {
            return ring(c);
        }
        return new RoleMeetings.BulkLoad(choices.one(Context.numbers(same)),
                RoleNumber.condition(choices, List.of(), 1), 4 * choices.below(RoleMemory.WORDS / 4), slots(1),
                this::own, barriers(1, 1), buffer(RoleMemory.PIECE), races && choices.oneIn(3));
    }

    private RoleStep bulkStore(Context c) {
        List<Integer> free = new ArrayList<>(Context.numbers(c.same()));
        free.removeAll(storing);
        if (free.isEmpty() || c.turn != null) {
            return ring(c);
        }
        int by = choices.one(free);
        storing.add(by);
        return new RoleMeetings.BulkStore(by, 4 * choices.below(RoleMemory.WORDS / 4),
                races ? choices.below(3) : choices.between(1, 2), threads,
                buffer(RoleMemory.PIECE));
    }

    /** The threads that reach this step meet, where they may. */
    private RoleStep meeting(Context c) {
        List<RoleThread> same = c.same();
        if (same.isEmpty() || c.turn != null) {
            return ring(c);
        }
        boolean all = same.size() == threads;
        boolean careless = races && choices.oneIn(3);
        if (!meets) {
            return all ? exchange(c, RoleMeetings.MeetingKind.BLOCK, 0, careless) : ring(c);
        }
        if (choices.flag()) {
            return new RoleMeetings.Shuffle(same, partners(same), slots(1), number(c), this::own);
        }
        // Under a guard, lanes of one warp might go different ways, as far as the program's check can tell.
        if (c.depth == 0 && named < NamedBarrier.COUNT - 1 && choices.flag()) {
            return exchange(c, RoleMeetings.MeetingKind.NAMED, ++named, careless);
        }
        return exchange(c, all && choices.flag() ? RoleMeetings.MeetingKind.BLOCK : RoleMeetings.MeetingKind.WARP, 0,
                careless);
    }

    private RoleStep exchange(Context c, RoleMeetings.MeetingKind kind, int id, boolean careless) {
        List<RoleThread> same = c.same();
        Map<Integer, Integer> partners = partners(same);
        if (kind != RoleMeetings.MeetingKind.WARP) {
            int one = choices.one(Context.numbers(same));
            partners.replaceAll((_, _) -> one);
        }
        return new RoleMeetings.Exchange(kind, id, same, partners, slots(1), number(c), this::own,
                buffer(RoleMemory.WORD * threads), careless);
    }

    /** One of each warp's threads, for all of that warp. */
    private Map<Integer, Integer> partners(List<RoleThread> same) {
        Map<Integer, Integer> ofWarp = new HashMap<>();
        Map<Integer, Integer> partners = new HashMap<>();
        for (RoleThread t : same) {
            int number = t.number / Warp.LANES;
            List<Integer> warp = Context.numbers(same).stream().filter(n -> n / Warp.LANES == number).toList();
            partners.put(t.number, ofWarp.computeIfAbsent(number, _ -> choices.one(warp)));
        }
        return partners;
    }

    private SharedRegion.Buffer buffer(int bytes) {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer" + regions.size(),
                Math.ceilDiv(bytes, 16) * 16, 16);
        regions.add(buffer);
        return buffer;
    }

    private SharedRegion.Barriers barriers(int count, int arrivals) {
        SharedRegion.Barriers barriers = new SharedRegion.Barriers("barriers" + regions.size(), count);
        regions.add(barriers);
        setUp.add(one -> {
            for (int i = 0; i < count; i++) {
                one.barrierInit(barriers.at(i), arrivals);
            }
        });
        return barriers;
    }

    private Address.Global own(Expr slot) {
        return RoleMemory.out(threads, slots, Builtin.THREAD, slot);
    }

    // ---- the kernel

    public TileProgram program() {
        return new TileProgram("roles", "threads with roles by their numbers", threads,
                List.of(RoleMemory.IN, RoleMemory.OUT, RoleMemory.PIECES), new SharedLayout(regions),
                Body.steps(b -> {
                    if (!setUp.isEmpty()) {
                        b.when(Builtin.THREAD.isEqualTo(0), one -> {
                            setUp.forEach(code -> code.accept(one));
                            one.barrierInitFence();
                        });
                        b.syncThreads();
                    }
                    body.write(b);
                }));
    }

    public Launch launch() {
        return new Launch(program(), blocks,
                List.of(new Argument.Buffer(0), new Argument.Buffer(1), new Argument.Buffer(2)));
    }

    /** What the launch's buffers hold before. */
    public List<byte[]> before(long seed) {
        return List.of(DrawnBytes.words(seed, RoleMemory.WORD * RoleMemory.WORDS),
                DrawnBytes.poison(Math.max(16, RoleMemory.WORD * blocks * threads * slots)),
                DrawnBytes.poison(RoleMemory.PIECE * blocks * threads));
    }

    /** What they hold afterwards, unless there are races. */
    public List<byte[]> after(long seed) {
        List<byte[]> after = before(seed).stream().map(byte[]::clone).toList();
        RoleMemory memory = new RoleMemory(threads, slots, after.get(0), after.get(1), after.get(2));
        for (int b = 0; b < blocks; b++) {
            int block = b;
            body.perform(memory, IntStream.range(0, threads)
                    .mapToObj(t -> new RoleThread(block, t, names.length)).toList());
        }
        return after;
    }

    Drawn drawn() {
        return new Drawn(title(), program(), launch -> {
            long seed = launch.seed();
            List<byte[]> after = after(seed);
            return new DrawnRun(launch(), before(seed), Map.of(1, after.get(1), 2, after.get(2)));
        });
    }

    /** For people: its size. */
    private String title() {
        return Counted.of(blocks, "block") + " of " + Counted.of(threads, "thread") + (meets ? " that meet, too" : "");
    }
}

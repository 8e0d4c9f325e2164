package dev.tilewright.verify.draw;

import dev.tilewright.Counted;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Blocks of one warp that take turns, handed on by a flag for each turn. In its turn a block's first thread copies
 * between its shared memory and memory that all blocks share, and waits for its stores before it sets the next flag: so
 * there is one possible result. A kernel has only some of the operations, since what it has decides how the reference
 * runs it.
 */
final class BatonPrograms {
    private static final int BLOCKS = 4;
    private static final int TURNS = 8;
    private static final int OPERATIONS = 3;
    private static final int MAPS = 3;
    private static final int UNIT = 16;
    /** Bytes of what is only read, and of what is worked on; tensors lie in either. */
    private static final int BYTES = 1 << 15;
    private static final int SHARED = 1 << 14;
    private static final int MAP = 128;
    /** Few, so that what is loaded there is stored and overwritten again. */
    private static final int PLACES = 4;
    private static final int PLACE = 1024;
    private static final Expr ZERO = Expr.of(0);

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    /** Where no block loads from. */
    private static final Parameter.Pointer RESULTS = new Parameter.Pointer("results", true);
    private static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    /** Copies of tensor maps, one after the other for each block; zeros in the end. */
    private static final Parameter.Pointer COPIES = new Parameter.Pointer("map_copies", true);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", SHARED, 1024);
    private static final SharedRegion.Buffer COPY = new SharedRegion.Buffer("map_copy", MAP, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private enum Kind {
        LOAD, STORE, REDUCE, TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TOUCH_SHARED, TOUCH_MEMORY,
        /** Loads, overwrites where that came from through a map, and stores what was loaded. */
        OVERWRITE
    }

    private final DrawnChoices choices;
    private final boolean faults;
    private final int blocks;
    /** What is worked on: written by pointer, or through maps alone. */
    private final Parameter.Pointer work;
    /** A part of it, which this parameter only reads. */
    private final Parameter.Pointer part = new Parameter.Pointer("part", false);
    private final int partOffset;
    private final int partBytes;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<BatonMap> maps = new ArrayList<>();
    private final boolean loadsPart;
    /** Waits by instructions have the reference follow each store closely. */
    private final boolean loopsOnly;
    private final int[] loads;
    private final TileProgram program;
    private final int turns;
    private int names;

    /** @param faults whether the last turn ends with an access beyond all memory */
    BatonPrograms(DrawnChoices choices, boolean faults) {
        this.choices = choices;
        this.faults = faults;
        this.blocks = choices.between(2, BLOCKS);
        this.turns = choices.between(2, TURNS);
        boolean byPointer = !choices.flag();
        work = new Parameter.Pointer("work", byPointer);
        kinds.add(Kind.LOAD);
        if (byPointer) {
            kinds.add(Kind.STORE);
            if (choices.flag()) {
                kinds.add(Kind.REDUCE);
            }
            if (choices.oneIn(4)) {
                kinds.add(Kind.TOUCH_MEMORY);
            }
        }
        if (choices.oneIn(4)) {
            kinds.add(Kind.TOUCH_SHARED);
        }
        loadsPart = choices.flag();
        loopsOnly = !choices.oneIn(3);
        partBytes = 4096;
        int count = byPointer ? choices.below(MAPS) : choices.between(1, MAPS);
        int behind = 256 * choices.between(1, 4);
        if (!byPointer && choices.flag()) {
            maps.add(BatonMap.overwriting(choices, behind, BYTES));
            kinds.add(Kind.TENSOR_STORE);
            kinds.add(Kind.OVERWRITE);
        }
        for (int i = maps.size(); i < count; i++) {
            BatonMap map = BatonMap.draw(choices, i, !byPointer && i == 0, faults, BYTES);
            maps.add(map);
            if (!kinds.contains(kind(map.use()))) {
                kinds.add(kind(map.use()));
            }
        }
        // Where a map's tensor is that writes it, behind a segment that has no more than the tensor's start.
        partOffset = byPointer ? 256 * choices.below(BYTES / 512) : maps.getFirst().offset() + behind;
        this.loads = new int[blocks];
        List<Parameter> parameters = new ArrayList<>(List.of(work, SOURCE, part, RESULTS, FLAGS, COPIES));
        maps.forEach(map -> parameters.add(map.parameter()));
        program = new TileProgram("batons", "takes turns", 32, parameters,
                new SharedLayout(List.of(BUFFER, COPY, FULL)), Body.steps(this::write));
    }

    private static Kind kind(DrawnBox.Use use) {
        return switch (use) {
            case LOAD -> Kind.TENSOR_LOAD;
            case STORE -> Kind.TENSOR_STORE;
            case REDUCE -> Kind.TENSOR_REDUCE;
        };
    }

    TileProgram program() {
        return program;
    }

    Drawn drawn() {
        return new Drawn(title(), program(), launch -> run(launch.seed()));
    }

    String title() {
        return Counted.of(blocks, "block") + ", " + Counted.of(turns, "turn") + " of " + kinds;
    }

    DrawnRun run(long seed) {
        Map<Parameter, Argument> values = new HashMap<>(Map.of(work, new Argument.Buffer(0),
                SOURCE, new Argument.Buffer(1), part, new Argument.Buffer(0, partOffset, partBytes),
                FLAGS, new Argument.Buffer(2), COPIES, new Argument.Buffer(3),
                RESULTS, new Argument.Buffer(4)));
        for (BatonMap map : maps) {
            values.put(map.parameter(), new Argument.Tensor(map.box().map(), map.worked() ? 0 : 1, map.offset()));
        }
        return new DrawnRun(Launch.of(program, blocks, values), List.of(DrawnBytes.words(seed, BYTES),
                DrawnBytes.words(seed + 1, BYTES), new byte[4 * (TURNS + 4)], new byte[MAP * BLOCKS],
                new byte[PLACES * PLACE]));
    }

    // ---- the kernel

    private static Address.Global at(Parameter.Pointer memory, int offset) {
        return new Address.Global(memory, offset);
    }

    private static Address.Shared shared(int offset) {
        return BUFFER.at(offset);
    }

    private boolean usesMapInMemory() {
        return maps.stream().anyMatch(BatonMap::inMemory);
    }

    private Address.Global ownCopy() {
        return new Address.Global(COPIES, Builtin.BLOCK.toS64().times(MAP));
    }

    private void write(Body body) {
        body.when(Builtin.THREAD.isEqualTo(0), one -> {
            one.barrierInit(FULL.at(ZERO), 1);
            one.barrierInitFence();
            one.arriveExpectTx(FULL.at(ZERO), SHARED);
            one.bulkLoad(shared(0), at(SOURCE, 0), SHARED, FULL.at(ZERO));
            one.waitParity(FULL.at(ZERO), ZERO);
        });
        if (usesMapInMemory()) {
            copyMap(body);
        }
        int owner = 0;
        for (int turn = 0; turn < turns; turn++) {
            int next = choices.below(blocks);
            int number = turn;
            boolean handedOn = turn > 0 && next != owner;
            owner = next;
            BatonWait wait = loopsOnly ? BatonWait.values()[choices.below(BatonWait.INSTRUCTION.ordinal())]
                    : choices.of(BatonWait.values());
            int block = owner;
            body.purpose("turn " + turn).when(Builtin.BLOCK.isEqualTo(block), own -> {
                if (handedOn) {
                    wait.write(own, number, at(FLAGS, 4 * number));
                }
                own.when(Builtin.THREAD.isEqualTo(0), one -> turn(one, block, number));
            });
        }
        if (usesMapInMemory()) {
            forgetMap(body);
        }
    }

    /** As for a map that is made anew, but that this one stays as it is. */
    private void copyMap(Body body) {
        Parameter.TensorMap map = maps.getFirst().parameter();
        body.when(Builtin.THREAD.lessThan(MAP / UNIT), some -> some.store(COPY.at(Builtin.THREAD.times(UNIT)),
                some.load("of_map", ElementType.U32, 4, new Address.MapBytes(map, Builtin.THREAD.times(UNIT)))));
        body.syncThreads();
        body.publishMap(ownCopy(), COPY.at(ZERO));
        body.when(Builtin.THREAD.isEqualTo(0), one -> one.acquireMap(ownCopy()));
    }

    /** A map has addresses, which are others in every run. */
    private void forgetMap(Body body) {
        body.syncThreads();
        Register zero = body.variable("zero", ZERO);
        body.when(Builtin.THREAD.lessThan(MAP / 4), some -> some.store(
                new Address.Global(COPIES, Builtin.BLOCK.toS64().times(MAP).plus(Builtin.THREAD.toS64().times(4))),
                zero.get()));
    }

    private static Input flag(int turn) {
        return Input.of(at(FLAGS, 4 * turn));
    }

    private void turn(Body one, int block, int turn) {
        one.proxyFence(FenceProxyAsync.Memory.ALL);
        for (int i = choices.between(1, OPERATIONS); i > 0; i--) {
            operation(one, block);
            // What it reads has been read, and what it writes is written, as late as here or before the flag is set.
            if (choices.flag()) {
                one.bulkWaitRead(0);
            }
            one.bulkWait(0);
        }
        one.proxyFence(FenceProxyAsync.Memory.ALL);
        if (turn < turns - 1) {
            if (choices.flag()) {
                one.atomic(AtomicOp.ADD, at(FLAGS, 4 * (turn + 1)), Value.u32(1)).order(Atom.Order.RELEASE);
            } else {
                one.issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), flag(turn + 1), Input.of(1));
            }
        } else if (faults) {
            one.issue("beyond", Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), flag(1 << 20));
        }
    }

    private void operation(Body one, int block) {
        Kind kind = choices.one(kinds);
        int place = somePlace();
        int bytes = UNIT << 2 * choices.below(4);
        int offset = 512 * choices.below(4);
        if (kind == Kind.STORE && choices.flag()) {
            load(one, block, place, bytes, offset);
        }
        switch (kind) {
            case LOAD -> load(one, block, place, bytes, offset);
            case STORE -> one.bulkStore(at(work, offset), shared(place), bytes);
            case REDUCE -> {
                boolean xor = choices.flag();
                one.bulkReduce(xor ? AtomicOp.XOR : AtomicOp.ADD, xor ? DataType.B32 : DataType.U32, at(work, offset),
                        shared(place), bytes);
            }
            case TENSOR_LOAD -> tensor(one, block, place, DrawnBox.Use.LOAD);
            case TENSOR_STORE -> tensor(one, block, place, DrawnBox.Use.STORE);
            case TENSOR_REDUCE -> tensor(one, block, place, DrawnBox.Use.REDUCE);
            case TOUCH_SHARED -> touch(one, shared(place), shared(somePlace()));
            case TOUCH_MEMORY -> touch(one, at(work, offset), at(work, 512 * choices.below(8)));
            case OVERWRITE -> overwrite(one, block, place);
        }
        if (kind != Kind.LOAD && kind != Kind.TENSOR_LOAD) {
            one.bulkCommit();
        }
    }

    private int somePlace() {
        return PLACE * choices.below(PLACES);
    }

    private void overwrite(Body one, int block, int place) {
        BatonMap map = maps.getFirst();
        int bytes = map.bytes();
        land(one, block, bytes, () -> one.bulkLoad(shared(place), at(part, 0), bytes, FULL.at(ZERO)));
        one.tensorStore(map.parameter(), Expr.list(map.box().coordinates()[0]), shared(somePlace()));
        one.bulkCommit();
        if (choices.flag()) {
            one.bulkWait(0);
        }
        one.bulkStore(at(RESULTS, somePlace()), shared(place), bytes);
    }

    private void touch(Body one, Address from, Address to) {
        one.proxyFence(FenceProxyAsync.Memory.ALL);
        Fragment words = one.load("words_" + names++, ElementType.U32, 4, from);
        one.store(to, words);
        one.proxyFence(FenceProxyAsync.Memory.ALL);
    }

    private void load(Body one, int block, int place, int bytes, int offset) {
        Address.Global from = switch (choices.below(loadsPart ? 2 : 1)) {
            case 0 -> at(SOURCE, offset);
            default -> at(part, offset % 2048);
        };
        land(one, block, bytes, () -> one.bulkLoad(shared(place), from, bytes, FULL.at(ZERO)));
    }

    private void land(Body one, int block, int bytes, Runnable copy) {
        one.arriveExpectTx(FULL.at(ZERO), bytes);
        copy.run();
        one.waitParity(FULL.at(ZERO), ++loads[block] & 1);
    }

    private void tensor(Body one, int block, int place, DrawnBox.Use use) {
        BatonMap map = choices.one(maps.stream().filter(each -> each.use() == use).toList());
        Runnable copy = () -> map.copy(one, ownCopy(), shared(place), FULL.at(ZERO));
        if (use == DrawnBox.Use.LOAD) {
            land(one, block, map.bytes(), copy);
        } else {
            copy.run();
        }
    }
}

package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.VoteSync;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BinaryOperator;

/**
 * Operations of the lanes of a warp together, in the body that made it ({@link Body#warp()}). The members are the lanes
 * of a mask: each of them that has not ended reaches the same instruction with the same mask, and waits for the others
 * there. A lane is a thread's number modulo 32; in blocks of several dimensions threads are counted along x first.
 *
 * <p>Only {@link #sync} orders memory accesses. Shuffles, votes, matches and reductions move values and order nothing.
 * Sources: PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "elect.sync", "bar.warp.sync".
 */
public final class Warp {
    /** Lanes of a warp. */
    public static final int LANES = 32;
    private static final String LANE = "lane";

    private final Body body;
    private final Expr members;

    Warp(Body body, Expr members) {
        this.body = body;
        this.members = members;
        if (members.type() != IntType.S32) {
            throw new IllegalArgumentException("a mask of lanes has 32 bits, got one of type " + members.type());
        }
    }

    /** The thread's lane. */
    public static Expr lane() {
        return Expr.Builtin.THREAD_NUMBER.modulo(LANES);
    }

    /** Waits until all members have come, and shows each what the others wrote before: {@code __syncwarp}. */
    public void sync() {
        body.issue(new BarWarpSync(), Input.of(members));
    }

    // ---- shuffles: of values of up to 64 bits, in segments of 1, 2, 4, 8, 16 or 32 lanes

    /** The value of the lane that is {@code delta} below; a lane without one in its segment keeps its own. */
    public Value shuffleUp(Value value, Expr delta, int width) {
        return shuffle(ShflSync.Mode.UP, value, "delta", delta, width);
    }

    /** The value of the lane that is {@code delta} below; a lane without one in its segment keeps its own. */
    public Value shuffleUp(Value value, int delta, int width) {
        return shuffleUp(value, Expr.of(delta), width);
    }

    /** The value of the lane that is {@code delta} below; a lane without one in its warp keeps its own. */
    public Value shuffleUp(Value value, int delta) {
        return shuffleUp(value, delta, LANES);
    }

    /** The value of the lane that is {@code delta} above; a lane without one in its segment keeps its own. */
    public Value shuffleDown(Value value, Expr delta, int width) {
        return shuffle(ShflSync.Mode.DOWN, value, "delta", delta, width);
    }

    /** The value of the lane that is {@code delta} above; a lane without one in its segment keeps its own. */
    public Value shuffleDown(Value value, int delta, int width) {
        return shuffleDown(value, Expr.of(delta), width);
    }

    /** The value of the lane that is {@code delta} above; a lane without one in its warp keeps its own. */
    public Value shuffleDown(Value value, int delta) {
        return shuffleDown(value, delta, LANES);
    }

    /**
     * The value of the lane whose number is this lane's number XOR a mask. One in a segment above keeps its own value;
     * of one in a segment below it takes the value.
     */
    public Value shuffleXor(Value value, Expr mask, int width) {
        return shuffle(ShflSync.Mode.BFLY, value, "mask", mask, width);
    }

    /**
     * The value of the lane whose number is this lane's number XOR a mask. One in a segment above keeps its own value;
     * of one in a segment below it takes the value.
     *
     * @param mask below 32
     */
    public Value shuffleXor(Value value, int mask, int width) {
        return shuffleXor(value, Expr.of(mask), width);
    }

    /**
     * The value of the lane whose number is this lane's number XOR a mask.
     *
     * @param mask below 32
     */
    public Value shuffleXor(Value value, int mask) {
        return shuffleXor(value, mask, LANES);
    }

    /**
     * The value of a lane of the segment.
     *
     * @param lane its number, modulo the width
     */
    public Value shuffleIndex(Value value, Expr lane, int width) {
        return shuffle(ShflSync.Mode.IDX, value, LANE, lane, width);
    }

    /**
     * The value of a lane of the segment.
     *
     * @param lane its number, modulo the width
     */
    public Value shuffleIndex(Value value, int lane, int width) {
        return shuffleIndex(value, Expr.of(lane), width);
    }

    /**
     * The value of a lane.
     *
     * @param lane its number, modulo 32
     */
    public Value shuffleIndex(Value value, Expr lane) {
        return shuffleIndex(value, lane, LANES);
    }

    /**
     * The value of a lane.
     *
     * @param lane its number
     */
    public Value shuffleIndex(Value value, int lane) {
        return shuffleIndex(value, lane, LANES);
    }

    private Value shuffle(ShflSync.Mode mode, Value value, String name, Expr lane, int width) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(lane, name);
        if (width < 1 || width > LANES || Integer.bitCount(width) != 1) {
            throw new IllegalArgumentException("a shuffle's width is 1, 2, 4, 8, 16 or 32 lanes, got " + width);
        }
        int clamp = LANES - width << 8 | (mode == ShflSync.Mode.UP ? 0 : LANES - 1);
        ValueType type = value.type();
        if (type.bits() <= Integer.SIZE) {
            return narrow(type, shuffle(mode, word(value), lane, clamp));
        }
        Value bits = body.let("bits", value.bitCast(ValueType.U64));
        Value low = shuffle(mode, word(bits.to(ValueType.U32)), lane, clamp).bitCast(ValueType.U32);
        Value high = shuffle(mode, word(bits.shiftRight(Integer.SIZE).to(ValueType.U32)), lane, clamp)
                .bitCast(ValueType.U32);
        return high.to(ValueType.U64).shiftLeft(Integer.SIZE).or(low.to(ValueType.U64)).bitCast(type);
    }

    private Value shuffle(ShflSync.Mode mode, Expr word, Expr lane, int clamp) {
        return result("shuffled", new ShflSync(mode), Input.of(word), Input.of(lane), Input.of(clamp));
    }

    /** The bits of a value of up to 32 bits as a number of 32. */
    private static Expr word(Value value) {
        ValueType type = value.type();
        if (type == ValueType.PRED) {
            return value.choose(Value.i32(1), Value.i32(0)).toIndex();
        }
        return (type.bits() == Integer.SIZE ? value.bitCast(ValueType.I32)
                : value.bitCast(unsigned(type)).to(ValueType.I32)).toIndex();
    }

    private static ValueType unsigned(ValueType type) {
        return type.bits() == Byte.SIZE ? ValueType.U8 : ValueType.U16;
    }

    /** The value of a type whose bits are the low ones of a word. */
    private static Value narrow(ValueType type, Value word) {
        if (type == ValueType.PRED) {
            return word.isNotEqualTo(Value.i32(0));
        }
        return type.bits() == Integer.SIZE ? word.bitCast(type) : word.to(unsigned(type)).bitCast(type);
    }

    // ---- votes

    /** Whether a condition holds for all members. */
    public Value all(Value condition) {
        return vote(VoteSync.Mode.ALL, condition).isNotEqualTo(Value.i32(0));
    }

    /** Whether a condition holds for any member. */
    public Value any(Value condition) {
        return vote(VoteSync.Mode.ANY, condition).isNotEqualTo(Value.i32(0));
    }

    /** Whether a condition is the same for all members. */
    public Value uniform(Value condition) {
        return vote(VoteSync.Mode.UNI, condition).isNotEqualTo(Value.i32(0));
    }

    /** The mask of the members for which a condition holds, u32. */
    public Value ballot(Value condition) {
        return vote(VoteSync.Mode.BALLOT, condition).bitCast(ValueType.U32);
    }

    private Value vote(VoteSync.Mode mode, Value condition) {
        Objects.requireNonNull(condition, "condition");
        if (condition.type() != ValueType.PRED) {
            throw new IllegalArgumentException("lanes vote on a predicate, got a value of type " + condition.type()
                    + ": compare it with something");
        }
        return result("vote", new VoteSync(mode), Input.of(word(condition)));
    }

    // ---- matches and reductions by one instruction

    /** The mask of the members whose value has the same bits as this lane's, u32. */
    public Value matchAny(Value value) {
        return match(value, false);
    }

    /** The mask of all members if their values have the same bits, else 0, u32. */
    public Value matchAll(Value value) {
        return match(value, true);
    }

    private Value match(Value value, boolean all) {
        Objects.requireNonNull(value, "value");
        MatchSync form = new MatchSync(all, false, false);
        Value mask = value.type().bits() > Integer.SIZE
                ? result("match", form.withWide(), Input.of(value))
                : result("match", form, Input.of(word(value)));
        return mask.bitCast(ValueType.U32);
    }

    /**
     * Reduces the members' integers by one instruction ({@code redux.sync}). Sums wrap.
     *
     * @param value i32 or u32
     */
    public Value reduce(ReduxSync.Op op, Value value) {
        NotNull.all("op, value", op, value);
        ValueType type = value.type();
        if (type != ValueType.I32 && type != ValueType.U32) {
            throw new IllegalArgumentException("redux.sync takes values of type i32 or u32, got " + type
                    + ": reduce others by shuffles, with butterfly");
        }
        DataType data = switch (op) {
            case AND, OR, XOR -> DataType.B32;
            case ADD, MIN, MAX -> type == ValueType.I32 ? DataType.S32 : DataType.U32;
        };
        return result("reduced", new ReduxSync(op, data), Input.of(word(value))).bitCast(type);
    }

    /** Whether this lane is the one that is chosen of the members: any of them may be. */
    public Value elect() {
        return result("elected", new ElectSync()).isNotEqualTo(Value.i32(0));
    }

    // ---- reductions and scans by shuffles, in one order

    /**
     * Reduces the values of all 32 lanes; every lane gets the result. Each lane combines its value with that of the
     * lane whose number differs in bit 4, the result with that of the lane that differs in bit 3, then in bits 2, 1 and
     * 0. Every lane gets the same bits if {@code combine} gives the same for both orders of its arguments, as float
     * addition does; that order is part of the result.
     *
     * @param combine own value and the other's
     */
    public Value butterfly(Value value, BinaryOperator<Value> combine) {
        NotNull.all("value, combine", value, combine);
        Value sum = value;
        for (int mask = LANES / 2; mask > 0; mask /= 2) {
            Value own = body.let("own", sum);
            sum = combine.apply(own, shuffleXor(own, mask));
        }
        return body.let("sum", sum);
    }

    /**
     * Scans the values of lanes 0 to this one, for all 32 lanes: for d = 1, 2, 4, 8 and 16 in this order, each lane
     * from d on combines what the lane d below has with what it has itself.
     *
     * @param combine what the lower lanes have, and what the upper ones have
     */
    public Value scan(Value value, BinaryOperator<Value> combine) {
        NotNull.all("value, combine", value, combine);
        Value sum = value;
        for (int delta = 1; delta < LANES; delta *= 2) {
            Value own = body.let("own", sum);
            Value lower = shuffleUp(own, delta);
            sum = lane().atLeast(delta).toValue().choose(combine.apply(lower, own), own);
        }
        return body.let("sum", sum);
    }

    /** Issues an instruction whose last operand is the mask. */
    private Value result(String name, PtxInstruction form, Input... inputs) {
        Input[] all = Arrays.copyOf(inputs, inputs.length + 1);
        all[inputs.length] = Input.of(members);
        return body.issue(name, form, all).toValue();
    }

    /** {@code warp}. */
    @Override
    public String toString() {
        return "lanes " + members + " of a warp";
    }
}

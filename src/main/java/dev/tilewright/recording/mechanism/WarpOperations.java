package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * {@code warp}: a shuffle with any distance, bound and segment by all lanes; a vote, a match or a reduction by the
 * lanes of a mask.
 */
final class WarpOperations implements RecordedMechanism {
    /** Each lane's value, and which lane or how far. */
    private static final int EACH = 8;
    private static final int MASK = EACH * Warp.LANES;
    private static final int CLAMP = MASK + 4;

    /** What lanes do together. */
    private enum Kind {
        UP, DOWN, BFLY, IDX, ALL, ANY, UNIFORM, BALLOT, MATCH_ANY, MATCH_ALL,
        ADD_U32, MIN_U32, MAX_U32, ADD_S32, MIN_S32, MAX_S32, AND, OR, XOR, ELECT;

        boolean shuffles() {
            return compareTo(IDX) <= 0;
        }
    }

    private final ProgramCache<Kind> programs = new ProgramCache<>(WarpOperations::program);

    @Override
    public String kind() {
        return "warp";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        Kind kind = Kind.values()[index % Kind.values().length];
        int mask = kind.shuffles() || random.nextInt(4) == 0 ? -1 : random.nextInt();
        row.put("operation", kind.name().toLowerCase(Locale.ROOT)).put("mask", mask == 0 ? -1 : mask)
                .put("clamp", random.nextInt(1 << 13)).put("few", random.nextInt(4))
                .put("seed", random.nextInt(1 << 20));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        Kind kind = row.constant("operation", Kind.class);
        SplittableRandom random = new SplittableRandom(row.integer("seed"));
        int few = row.number("few", 0, 3);
        int[] words = new int[2 * Warp.LANES + 2];
        for (int lane = 0; lane < Warp.LANES; lane++) {
            int word = random.nextInt();
            // Lanes of equal values, and conditions of which most or all are the same.
            words[2 * lane] = few == 0 ? word : few == 3 ? 7 : word & (1 << few - 1) | 0x40;
            words[2 * lane + 1] = random.nextInt(Warp.LANES);
        }
        words[2 * Warp.LANES] = row.number("mask", Integer.MIN_VALUE, Integer.MAX_VALUE);
        words[2 * Warp.LANES + 1] = row.number("clamp", 0, (1 << 13) - 1);
        return Experiment.of(programs.of(kind), 1, Experiment.Content.of(Data.words(words)),
                Experiment.Content.fresh(4 * Warp.LANES));
    }

    private static TileProgram program(Kind kind) {
        return new TileProgram("record_warp", "an operation of lanes", Warp.LANES, List.of(Steps.IN, Steps.OUT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Value word = body.load("word", ValueType.U32, Steps.in(Steps.THREAD.times(EACH)));
                    Value lane = body.load("lane", ValueType.I32, Steps.in(Steps.THREAD.times(EACH).plus(4)));
                    Value mask = body.load("mask", ValueType.U32, Steps.in(Expr.of(MASK)));
                    if (kind.shuffles()) {
                        Value clamp = body.load("clamp", ValueType.I32, Steps.in(Expr.of(CLAMP)));
                        Expr taken = body.purpose("take another lane's value").issue("taken",
                                new ShflSync(ShflSync.Mode.valueOf(kind.name())),
                                Input.of(word.bitCast(ValueType.I32).toIndex()), Input.of(lane.toIndex()),
                                Input.of(clamp.toIndex()), Input.of(-1));
                        body.store(Steps.out(Steps.THREAD.times(4)), taken.toValue());
                        return;
                    }
                    Expr members = mask.bitCast(ValueType.I32).toIndex();
                    body.purpose("lanes of the mask").when(mask.shiftRight(Warp.lane().toValue().bitCast(ValueType.U32))
                            .and(Value.u32(1)).isEqualTo(Value.u32(1)).toIndex(), some -> some.store(
                                    Steps.out(Steps.THREAD.times(4)),
                                    result(some.purpose("together").warp(members), kind, word)));
                }));
    }

    private static Value result(Warp warp, Kind kind, Value word) {
        Value odd = word.and(Value.u32(1)).isEqualTo(Value.u32(1));
        Value signed = word.bitCast(ValueType.I32);
        return switch (kind) {
            case ALL -> number(warp.all(odd));
            case ANY -> number(warp.any(odd));
            case UNIFORM -> number(warp.uniform(odd));
            case BALLOT -> warp.ballot(odd);
            case MATCH_ANY -> warp.matchAny(word);
            case MATCH_ALL -> warp.matchAll(word);
            case ADD_U32 -> warp.reduce(ReduxSync.Op.ADD, word);
            case MIN_U32 -> warp.reduce(ReduxSync.Op.MIN, word);
            case MAX_U32 -> warp.reduce(ReduxSync.Op.MAX, word);
            case ADD_S32 -> warp.reduce(ReduxSync.Op.ADD, signed);
            case MIN_S32 -> warp.reduce(ReduxSync.Op.MIN, signed);
            case MAX_S32 -> warp.reduce(ReduxSync.Op.MAX, signed);
            case AND -> warp.reduce(ReduxSync.Op.AND, word);
            case OR -> warp.reduce(ReduxSync.Op.OR, word);
            case XOR -> warp.reduce(ReduxSync.Op.XOR, word);
            // Any lane may be elected, and one is.
            case ELECT -> warp.ballot(warp.elect()).countOnes();
            case UP, DOWN, BFLY, IDX -> throw new IllegalArgumentException(kind + " is a shuffle");
        };
    }

    private static Value number(Value condition) {
        return condition.choose(Value.u32(1), Value.u32(0));
    }
}

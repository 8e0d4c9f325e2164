package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.VoteSync;
import java.util.List;
import java.util.Optional;

/**
 * Lanes that exchange words by shared memory, and then by an instruction of the warp, which orders no memory: a
 * shuffle, a vote, a match or a reduction.
 */
final class ShufflePart implements Part {
    private final Plan plan;
    private final int rounds;
    private final boolean loop;
    private final int way;
    private final int lane;
    private final int clamp;
    private final boolean meets;
    private final SharedRegion.Buffer words;
    private final Expr source;
    private final Expr result;
    private int names;

    ShufflePart(Plan plan) {
        this.plan = plan;
        rounds = 1 + plan.pick(2);
        loop = plan.maybe();
        way = plan.pick(9);
        lane = plan.pick(plan.threads);
        clamp = way == 0 ? 0 : plan.threads - 1;
        meets = plan.maybe();
        words = plan.buffer(16 * plan.threads);
        source = plan.source(4 * plan.threads * rounds);
        result = plan.result(4 * plan.threads * rounds);
    }

    @Override
    public void write(Body body) {
        plan.turns(body, rounds, loop, (each, round) -> {
            Expr at = round.times(4 * plan.threads).plus(T.times(4));
            int number = names++;
            Register own = new Register("own" + number, ValueType.U32, 1, 0);
            each.add(new Operation.Declare(own, Optional.empty(), false));
            each.add(new Operation.LoadValues(own, Expr.of(0), 1, Plan.from(source.plus(at))));
            each.add(new Operation.StoreValues(words.at(T.times(16)), List.of(own.at(0))));
            meet(each);
            Register other = new Register("other" + number, ValueType.U32, 1, 0);
            each.add(new Operation.Declare(other, Optional.empty(), false));
            each.add(new Operation.LoadValues(other, Expr.of(0), 1, words.at(plan.neighbour(1).times(16))));
            Expr taken = together(each, Input.of(other.at(0)));
            each.add(new Operation.StoreValues(Plan.to(result.plus(at)), List.of(taken.toValue())));
            meet(each);
        });
    }

    private void meet(Body body) {
        if (meets) {
            body.syncThreads();
        } else {
            body.issue(new BarWarpSync(), Input.of((1 << plan.threads) - 1));
        }
    }

    private Expr together(Body body, Input word) {
        Input members = Input.of((1 << plan.threads) - 1);
        Expr parity = T.plus(lane).bitAnd(1);
        return switch (way) {
            case 0 -> shuffle(body, ShflSync.Mode.UP, word, lane, members);
            case 1 -> shuffle(body, ShflSync.Mode.DOWN, word, lane, members);
            case 2 -> shuffle(body, ShflSync.Mode.BFLY, word, lane & 1, members);
            case 3 -> shuffle(body, ShflSync.Mode.IDX, word, lane, members);
            case 4 -> body.issue("taken" + names, new VoteSync(VoteSync.Mode.BALLOT), Input.of(parity), members);
            case 5 -> body.issue("taken" + names, new ReduxSync(ReduxSync.Op.ADD, DataType.U32), word, members);
            case 6 -> body.issue("taken" + names, new ReduxSync(ReduxSync.Op.MAX, DataType.S32), word, members);
            case 7 -> body.issue("taken" + names, new ReduxSync(ReduxSync.Op.XOR, DataType.B32), word, members);
            default -> body.issue("taken" + names, new MatchSync(false, false, false), Input.of(parity), members);
        };
    }

    private Expr shuffle(Body body, ShflSync.Mode mode, Input word, int by, Input members) {
        return body.issue("taken" + names, new ShflSync(mode), word, Input.of(by), Input.of(clamp), members);
    }

    @Override
    public String toString() {
        return "together " + way + " x" + rounds + (loop ? " loop" : "") + " lane " + lane
                + (meets ? " sync" : " warp");
    }
}

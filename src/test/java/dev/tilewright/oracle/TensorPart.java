package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A ring of boxes that one thread loads by a tensor map, some of which hang over the tensor's edge. The block takes
 * each to the result, or changes it in its place, and the thread stores the box by another map.
 */
final class TensorPart implements Part {
    private static final TensorDataType WORDS = TensorDataType.UINT32;
    private static final int COLUMNS = 16;
    private static final int ROW_BYTES = 4 * COLUMNS;
    private static final int ROWS = 2;
    private static final int BOX_BYTES = 64;
    private static final int STAGE = 256;
    /** Rows of the source, so that boxes may hang over its end. */
    private static final int SOURCE_ROWS = 13;
    private static final Map<String, Swizzle> SWIZZLES = Map.of("plain", Swizzle.NONE, "swizzled", Swizzle.B32);

    private final Plan plan;
    private final int tiles;
    private final int stages;
    private final boolean loop;
    private final boolean stores;
    private final boolean late;
    private final boolean over;
    private final String kind;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers full;
    private final Meeting taken;
    private final Meeting written;
    private final Expr producer;
    private final Expr result;

    TensorPart(Plan plan) {
        this.plan = plan;
        tiles = 1 + plan.pick(3);
        stages = 1 + plan.pick(2);
        loop = plan.maybe();
        stores = plan.maybe();
        late = plan.maybe();
        over = plan.maybe();
        kind = plan.maybe() ? "plain" : "swizzled";
        buffer = new SharedRegion.Buffer("boxes", stages * STAGE, STAGE);
        plan.regions.add(buffer);
        full = plan.barriers(stages, 1);
        taken = new Meeting(plan);
        written = new Meeting(plan);
        producer = Expr.of(plan.pick(plan.threads));
        result = plan.result(tiles * ROWS * ROW_BYTES);
    }

    /** The maps that steps use, by their parameters. */
    static Map<Parameter, Argument> arguments(List<Step> body) {
        Map<Parameter, Argument> maps = new LinkedHashMap<>();
        body.forEach(step -> {
            step.operation().bodies().forEach(inner -> maps.putAll(arguments(inner)));
            if (step.operation() instanceof Operation.Issue issue) {
                issue.inputs().forEach(input -> input.parameter().ifPresent(p -> {
                    if (p instanceof Parameter.TensorMap map) {
                        boolean source = map.name().startsWith("source");
                        maps.put(map, new Argument.Tensor(TiledTensorMap.denseInnermostFirst(WORDS, List.of(
                                (long) COLUMNS, source ? SOURCE_ROWS : Sample.RESULT_BYTES / (long) ROW_BYTES),
                                List.of(BOX_BYTES / ROWS / 4, ROWS), SWIZZLES.get(map.name().replaceFirst(".*_", ""))),
                                source ? 0 : 1, 0));
                    }
                }));
            }
        });
        return maps;
    }

    private Parameter.TensorMap map(String of) {
        return new Parameter.TensorMap(of + "_" + kind, 2);
    }

    @Override
    public void write(Body body) {
        plan.turns(body, tiles, loop, (each, tile) -> {
            Expr at = tile.modulo(stages).times(STAGE);
            each.when(T.isEqualTo(producer), one -> fill(one, tile));
            plan.waitParity(each, full.at(tile.modulo(stages)), tile.dividedBy(stages).bitAnd(1));
            for (int piece = 0; piece < BOX_BYTES / PIECE; piece++) {
                int number = piece;
                each.when(T.isEqualTo(piece % plan.threads), one -> Plan.move(one, buffer.at(at.plus(number * PIECE)),
                        stores ? buffer.at(at.plus(number * PIECE)) : Plan.to(result
                        .plus(tile.times(ROWS * ROW_BYTES)).plus(number * PIECE))));
            }
            if (stores) {
                each.proxyFence(FenceProxyAsync.Memory.SHARED);
                written.meet(each, tile);
                each.when(T.isEqualTo(producer), one -> {
                    one.tensorStore(map("result"), Expr.list(0, result.dividedBy(ROW_BYTES)
                            .plus(tile.times(ROWS))), buffer.at(at));
                    one.bulkCommit();
                    one.bulkWaitRead(0);
                });
            }
            taken.meet(each, tile);
        });
    }

    private void fill(Body body, Expr tile) {
        Expr stage = tile.modulo(stages);
        if (!late) {
            body.arriveExpectTx(full.at(stage), BOX_BYTES);
        }
        Expr row = Builtin.BLOCK.times(3).plus(tile.times(over ? 5 : 2));
        body.tensorLoad(buffer.at(stage.times(STAGE)), map("source"), Expr.list(over ? -4 : 8, row), full.at(stage));
        if (late) {
            body.arriveExpectTx(full.at(stage), BOX_BYTES);
        }
    }

    @Override
    public String toString() {
        return "boxes " + kind + " x" + tiles + " of " + stages + " stages" + (loop ? " loop" : "")
                + (stores ? " stored" : "") + (late ? " late" : "") + (over ? " over the edge " : " ") + written + "/"
                + taken;
    }
}

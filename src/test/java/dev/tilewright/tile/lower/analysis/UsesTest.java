package dev.tilewright.tile.lower.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is used once, element by element, takes no registers; what is used again, or otherwise, is held. */
class UsesTest {

    @Test
    void aSoftmaxHoldsItsRowAndTheExponentialsAlone() {
        TileKernel softmax = TileKernel.of("softmax", k -> {
            Tensor x = k.in("x", ValueType.BF16, k.dim("rows"), Dim.of(1024));
            Tensor y = k.out("y", ValueType.BF16, x.dims().toArray(Dim[]::new));
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(ValueType.F32);
                Tile e = v.minus(v.max()).exp();
                y.storeRow(row, e.dividedBy(e.sum()).to(ValueType.BF16));
            });
        });
        Uses uses = new Uses(softmax);
        List<Tile> maps = maps(softmax).filter(tile -> !tile.shape().isEmpty()).toList();
        // To f32, less the greatest, exp, by the sum, to bf16.
        assertEquals(List.of(true, true, false, true, true), maps.stream().map(uses::isLater).toList());
        Tile row = softmax.grid().body().tiles().filter(tile -> tile.node() instanceof TileNode.Load).findFirst()
                .orElseThrow();
        assertEquals(List.of(false, false, true, true, true), maps.stream().map(map -> uses.isLast(row, map))
                .toList());
    }

    @Test
    void whatIsTakenFromAllConversionsTakesNoRegistersWhateverUsesIt() {
        for (ValueType type : List.of(ValueType.BF16, ValueType.F32)) {
            TileKernel kernel = TileKernel.of("less", k -> {
                Tensor x = k.in("x", type, k.dim("rows"), Dim.of(1024));
                Tensor y = k.out("y", type, x.dims().toArray(Dim[]::new));
                k.forEachRow(x, row -> {
                    Tile v = x.row(row).to(ValueType.F32);
                    Tile less = v.minus(v.max());
                    y.storeRow(row, less.dividedBy(less.times(less).sum()).to(type));
                });
            });
            Uses uses = new Uses(kernel);
            Tile less = maps(kernel).filter(tile -> ((TileNode.Map) tile.node()).value() instanceof Value.Binary binary
                    && binary.op() == BinaryOp.SUB).findFirst().orElseThrow();
            assertEquals(type == ValueType.BF16, uses.isLater(less), type.toString());
        }
    }

    @Test
    void whatALoopAConditionOrATransposeTakesIsHeld() {
        TileKernel kernel = TileKernel.of("kernel", k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", ValueType.F32, rows, rows);
            Tensor y = k.out("y", ValueType.F32, rows, rows);
            Tensor z = k.out("z", ValueType.F32, rows, rows);
            k.forEachTile(y, 16, 16, at -> {
                Tile v = x.tile(at);
                Tile carried = v.plus(v);
                Tile conditional = v.times(v);
                Tile turned = v.minus(v);
                y.store(at, k.fold(carried, k.steps(rows, 16), (sum, _) -> sum.plus(turned.transposed())));
                k.when(rows.value().greaterThan(16), () -> z.store(at, conditional));
            });
        });
        Uses uses = new Uses(kernel);
        assertEquals(List.of(), maps(kernel).filter(uses::isLater).toList());
    }

    private static Stream<Tile> maps(TileKernel kernel) {
        return kernel.grid().body().tiles().filter(tile -> tile.node() instanceof TileNode.Map);
    }
}

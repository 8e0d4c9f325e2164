package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Factor;
import java.util.List;

/**
 * A product of a turn.
 *
 * @param k how far along k the turn goes
 */
public record RingProduct(TileNode.Product product, RingFactor a, RingFactor b, int k) {
    private static final int LEAST_ROWS = 16;
    private static final int LEAST_COLUMNS = 8;
    private static final int STEP_BYTES = 32;

    public RingProduct {
        NotNull.all("product, a, b", product, a, b);
    }

    static RingProduct of(TileNode.Product product, Factor first, Factor second, RingPattern.Given given) {
        List<Integer> left = given.extents().apply(product.a());
        List<Integer> right = given.extents().apply(product.b());
        int depth = Math.max(STEP_BYTES * Byte.SIZE / product.a().type().bits(), RingFactor.power(left.get(1)));
        return new RingProduct(product, RingFactor.of(first, true, left, List.of(Math.max(LEAST_ROWS,
                RingFactor.power(left.get(0))), depth), given.vectors()), RingFactor.of(second, false, right,
                List.of(depth, Math.max(LEAST_COLUMNS, RingFactor.power(right.get(1)))), given.vectors()),
                left.get(1));
    }

    List<RingFactor> factors() {
        return List.of(a, b);
    }

    /** The shape of an instruction. */
    MmaShape shape() {
        return product.a().type() == ValueType.F64 ? MmaShape.M8N8K4 : MmaShape.valueOf("M16N8K" + depth());
    }

    /** Elements along k of an instruction. */
    int depth() {
        return STEP_BYTES * Byte.SIZE / product.a().type().bits();
    }

    /** Instructions along k. */
    int steps() {
        return Math.ceilDiv(k, depth());
    }
}

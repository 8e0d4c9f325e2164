package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.Stmatrix;

/**
 * A warp that takes matrices out of shared memory, which it or another warp has put there, transposes or multiplies
 * them, and stores what comes of it by another instruction to shared memory, from where a neighbour takes it.
 */
final class MatrixPart implements Part {
    private static final int WARP = 32;

    /** A product whose A and B are in four registers together. */
    private record Product(MmaShape shape, MmaTypes types, ValueType sums) {
        MmaFragment a() {
            return MmaFragment.a(shape.m(), shape.k(), types == MmaTypes.S32_S8_S8 ? 8 : 16);
        }
    }

    private static final Product[] PRODUCTS = {new Product(MmaShape.M16N8K8, MmaTypes.F16_F16_F16, ValueType.U32),
        new Product(MmaShape.M16N8K8, MmaTypes.F32_BF16_BF16, ValueType.F32),
        new Product(MmaShape.M8N8K16, MmaTypes.S32_S8_S8, ValueType.I32)};

    private final Plan plan;
    private final int rounds;
    private final boolean loop;
    private final MatrixCount count;
    private final boolean transposed;
    private final boolean back;
    private final int way;
    private final SharedRegion.Buffer in;
    private final SharedRegion.Buffer out;
    private final Expr source;
    private final Expr result;
    private int names;

    MatrixPart(Plan plan) {
        this.plan = plan;
        rounds = 1 + plan.pick(2);
        loop = plan.maybe();
        count = MatrixCount.values()[plan.pick(3)];
        transposed = plan.maybe();
        back = plan.maybe();
        way = plan.pick(2 + PRODUCTS.length);
        in = plan.buffer(WARP * PIECE);
        out = plan.buffer(WARP * PIECE);
        source = plan.source(WARP * PIECE);
        result = plan.result(rounds * WARP * PIECE);
    }

    /** Rows of eight for each matrix. */
    private int rows() {
        return 8 << count.ordinal();
    }

    @Override
    public void write(Body body) {
        Expr lane = T.modulo(WARP);
        Expr row = lane.modulo(rows()).times(PIECE);
        plan.turns(body, rounds, loop, (each, round) -> {
            each.when(T.atLeast(plan.threads - WARP), warp -> warp.when(lane.lessThan(rows()), one ->
                    Plan.move(one, Plan.from(source.plus(lane.times(PIECE))), in.at(row))));
            meet(each);
            each.when(T.lessThan(WARP), warp -> compute(warp, row));
            meet(each);
            each.when(T.atLeast(plan.threads - WARP), warp -> warp.when(lane.lessThan(rows()), one ->
                    Plan.move(one, out.at(lane.plus(1).modulo(rows()).times(PIECE)),
                            Plan.to(result.plus(round.times(WARP * PIECE)).plus(row)))));
            meet(each);
        });
    }

    private void compute(Body warp, Expr row) {
        int number = names++;
        int matrices = 1 << count.ordinal();
        Register words = warp.registers("words" + number, ValueType.U32, matrices);
        Ldmatrix load = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, count);
        warp.issue(transposed ? load.withTransposed() : load, Input.of(words), Input.of(in.at(row)));
        if (way == 1) {
            Input last = Input.of(words, matrices - 1);
            warp.issue(new Movmatrix(), last, last);
        } else if (way > 1) {
            multiply(warp, PRODUCTS[way - 2], words, number, matrices);
        }
        Stmatrix store = new Stmatrix(count);
        warp.issue(back ? store.withTransposed() : store, Input.of(out.at(row)), Input.of(words));
    }

    private static void multiply(Body warp, Product product, Register words, int number, int matrices) {
        int ofA = product.a().registers();
        Register a = warp.registers("a" + number, ofA, Value.u32(0));
        for (int i = 0; i < ofA; i++) {
            warp.assign(a.at(i), words.at(i % matrices));
        }
        MmaSync mma = new MmaSync(product.shape, product.types);
        MmaFragment sums = MmaFragment.accumulator(product.shape.m(), product.shape.n(),
                product.types == MmaTypes.F16_F16_F16 ? 16 : 32);
        Register d = warp.registers("d" + number, sums.registers(), zero(product.sums));
        warp.issue(mma, Input.of(d), Input.of(a), Input.of(words, matrices - 1), Input.of(d));
        warp.assign(words.at(matrices - 1), new Value.BitCast(d.at(0), ValueType.U32));
    }

    private static Value zero(ValueType type) {
        return type == ValueType.F32 ? Value.f32(1.5f) : type == ValueType.I32 ? Value.i32(3) : Value.u32(0x3C003800);
    }

    private void meet(Body body) {
        if (plan.threads > WARP) {
            body.syncThreads();
        } else {
            body.issue(new BarWarpSync(), Input.of(-1));
        }
    }

    @Override
    public String toString() {
        return "matrices " + way + " " + count + (transposed ? " transposed" : "") + (back ? " back" : "") + " x"
                + rounds + (loop ? " loop" : "");
    }
}

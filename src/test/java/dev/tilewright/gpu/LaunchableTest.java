package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels of an application's own, whose launches follow from the shapes of their arrays. */
class LaunchableTest {
    /** Each element of the product is one of a column's times one of a row's, and a scalar. */
    private static final class OuterProduct implements Launchable {
        private final Parameter.Pointer column = new Parameter.Pointer("column", false);
        private final Parameter.Pointer row = new Parameter.Pointer("row", false);
        private final Parameter.Pointer product = new Parameter.Pointer("product", true);
        private final Parameter.Int columns = new Parameter.Int("columns", IntType.S32);
        private final Parameter.Scalar factor = new Parameter.Scalar("factor", ElementType.F32);
        private final TileProgram program = new TileProgram("outer_product", "a block for each row", 32,
                List.of(column, row, product, columns, factor), new SharedLayout(List.of()), Body.steps(body -> {
                    body.loop("at", Builtin.THREAD, columns.value(), 32, (each, at) -> each.store(
                            new Address.Global(product,
                                    Builtin.BLOCK.times(columns.value()).plus(at).toS64().times(4)),
                            load(each, column, Builtin.BLOCK).times(load(each, row, at)).times(factor.value())));
                }));

        private static Value load(Body body, Parameter.Pointer array, Expr at) {
            return body.load("of_" + array.name(), ValueType.F32, new Address.Global(array, at.toS64().times(4)));
        }

        @Override
        public TileProgram program() {
            return program;
        }

        @Override
        public List<Array> arrays() {
            return List.of(new Array("column", ElementType.F32, false), new Array("row", ElementType.F32, false),
                    new Array("product", ElementType.F32, true));
        }

        @Override
        public Launch launch(Map<String, List<Long>> shapes, Scalars scalars) {
            long m = shapes.get("column").getFirst();
            long n = shapes.get("row").getFirst();
            return Launch.of(program, (int) m, Map.of(column, new Argument.Buffer(0, 0, 4 * m),
                    row, new Argument.Buffer(1, 0, 4 * n), product, new Argument.Buffer(2, 0, 4 * m * n),
                    columns, new Argument.Int(n),
                    factor, new Argument.Scalar(scalars.bits(scalars()).get(factor))));
        }
    }

    private final Gpu gpu = Gpu.emulated();

    @AfterEach
    void close() {
        gpu.close();
    }

    private static String refusal(Runnable call) {
        return assertThrows(IllegalArgumentException.class, call::run).getMessage();
    }

    @Test
    void arraysOfShapesOfTheirOwnAreGivenByName() {
        Kernel kernel = gpu.load(new OuterProduct());
        Buffer<float[]> column = gpu.upload(new float[] {1, 2});
        Buffer<float[]> row = gpu.upload(new float[] {3, 5, 7});
        Buffer<float[]> product = gpu.floats(6);
        Map<String, ShapedBuffer> arrays = Map.of("column", column.shaped(2), "row", row.shaped(3),
                "product", product.shaped(2, 3));
        kernel.prepare(arrays).set("factor", 10).start();
        assertArrayEquals(new float[] {30, 50, 70, 60, 100, 140}, product.download());
        kernel.prepare(arrays, Scalars.of("factor", 1)).start();
        assertArrayEquals(new float[] {3, 5, 7, 6, 10, 14}, product.download());
        assertEquals("kernel 'outer_product' takes the arrays column, row, product: 'row' is missing",
                refusal(() -> kernel.prepare(Map.of("column", column.shaped(2), "product", product.shaped(6)))));
        assertEquals("kernel 'outer_product' takes the arrays column, row, product, and has none named 'rows'",
                refusal(() -> kernel.prepare(Map.of("column", column.shaped(2), "row", row.shaped(3),
                        "product", product.shaped(2, 3), "rows", row.shaped(3)))));
        assertEquals("kernel 'outer_product': array 'row' has elements of type f32, got a buffer of int: give one of "
                + "float, or take it as that, with buffer.as(ArrayType.FLOATS)",
                refusal(() -> kernel.prepare(Map.of("column", column.shaped(2), "product", product.shaped(2, 3),
                        "row", gpu.ints(3).shaped(3)), Scalars.of("factor", 1))));
    }

    @Test
    void anElementwiseKernelTakesNamesToo() {
        Kernel copy = gpu.load(VectorCopy.of(ElementType.F32).build());
        Buffer<float[]> from = gpu.upload(new float[] {1, 2, 3, 4});
        Buffer<float[]> to = gpu.floats(4);
        copy.prepare(Map.of("source", from.shaped(2, 2), "result", to.shaped(2, 2))).start();
        assertArrayEquals(from.download(), to.download());
        assertEquals("kernel 'vector_copy' takes the arrays source, result, all of one shape, got ",
                refusal(() -> copy.prepare(Map.of("source", from.shaped(2, 2), "result", to.shaped(4))))
                        .split("\\{")[0]);
    }

    @Test
    void arraysAreCutForElementwiseKernelsAlone() {
        float[] array = new float[4];
        MemorySegment memory = MemorySegment.ofArray(array);
        assertEquals("kernel 'outer_product' does not treat every element by itself, so that its arrays cannot be cut "
                + "into slabs: cut them in work of your own, with run(Rows, SlabWork)",
                refusal(() -> Streamer.on(gpu).run(new OuterProduct(), Scalars.of("factor", 1), Shape.of(4), memory,
                        memory)));
    }
}

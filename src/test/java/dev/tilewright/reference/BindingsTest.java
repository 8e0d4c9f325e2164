package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said about parameters that are bound wrongly. */
class BindingsTest {
    private static final Parameter.Pointer POINTER = new Parameter.Pointer("data", true);
    private static final Parameter.Int INT = new Parameter.Int("count", IntType.S32);
    private static final Parameter.Scalar SCALAR = new Parameter.Scalar("factor", ElementType.F32);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("tiles", 1);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 128, 128);
    private static final MemorySegment MEMORY = MemorySegment.ofArray(new byte[64]);
    private static final TileProgram PROGRAM = new TileProgram("bound", "takes one of each", 1,
            List.of(POINTER, INT, SCALAR, MAP), new SharedLayout(List.of(BUFFER)),
            Body.steps(body -> body.purpose("store").tensorStore(MAP, Expr.list(0), BUFFER.at(0))));

    private static Map<Parameter, Binding> good() {
        return new HashMap<>(Map.of(POINTER, new Binding.Memory(MEMORY), INT, new Binding.Integer(1),
                SCALAR, new Binding.Scalar(0), MAP, new Binding.BoundTensorMap(map(1), MEMORY)));
    }

    private static TiledTensorMap map(int rank) {
        return TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, rank == 1 ? List.of(16L) : List.of(16L, 4L),
                rank == 1 ? List.of(16) : List.of(16, 4), Swizzle.NONE);
    }

    @Test
    void goodBindingsAreTaken() {
        assertEquals(3, Execution.run(PROGRAM, 3, good(), ReferenceOptions.DEFAULT, null).blocks());
    }

    @Test
    void everyParameterIsBound() {
        for (Parameter p : PROGRAM.parameters()) {
            Map<Parameter, Binding> bindings = good();
            bindings.remove(p);
            assertRefused("kernel 'bound': parameter '" + p.name() + "' has no binding", bindings);
        }
    }

    @Test
    void kindsMatch() {
        refused(POINTER, new Binding.Integer(1), "takes memory, got an integer");
        refused(INT, new Binding.Scalar(1), "takes an integer, got a scalar");
        refused(SCALAR, new Binding.BoundTensorMap(map(1), MEMORY), "takes a scalar, got a tensor map with its memory");
        refused(MAP, new Binding.Memory(MEMORY), "takes a tensor map with its memory, got memory");
    }

    @Test
    void valuesFit() {
        refused(INT, new Binding.Integer(1L << 31), "has 32 bits, 2147483648 does not fit");
        refused(MAP, new Binding.BoundTensorMap(map(2), MEMORY), "has rank 1, the map bound to it has 2");
    }

    @Test
    void aTensorLiesInItsMemory() {
    }

    private static TiledTensorMap matrix(TensorDataType type, long stride, int box, int elementStride, Swizzle swizzle,
            OobFill fill) {
        return new TiledTensorMap(type, List.of(16L, 4L), List.of(stride), List.of(16, box), List.of(1, elementStride),
                Interleave.NONE, swizzle, L2Promotion.NONE, fill);
    }

    private static String broken(TiledTensorMap map) {
        Parameter.TensorMap matrix = new Parameter.TensorMap("matrix", 2);
        TileProgram program = new TileProgram("odd", "takes a matrix", 1, List.of(matrix),
                new SharedLayout(List.of(BUFFER)), Body.steps(body -> body.purpose("nothing").syncThreads()));
        return assertThrows(IllegalArgumentException.class, () -> Execution.run(program, 1,
                Map.of(matrix, new Binding.BoundTensorMap(map, MemorySegment.ofArray(new byte[4096]))),
                ReferenceOptions.DEFAULT, null)).getMessage();
    }

    /** A map that the driver would refuse is refused, whether the program uses it or not. */
    @Test
    void aMapBreaksNoRule() {
        for (TiledTensorMap map : List.of(
                matrix(TensorDataType.UINT8, 20, 4, 1, Swizzle.NONE, OobFill.ZERO),
                matrix(TensorDataType.UINT8, 16, 512, 1, Swizzle.NONE, OobFill.ZERO),
                matrix(TensorDataType.UINT8, 16, 4, 1, Swizzle.NONE, OobFill.NAN),
                matrix(TensorDataType.UINT8, 16, 4, 9, Swizzle.NONE, OobFill.ZERO))) {
            assertEquals("kernel 'odd': parameter 'matrix' has a map that no encoder would accept: "
                    + map.validate(Target.SM_90).report(), broken(map));
        }
    }

    @Test
    void aMapOfLaterTargetsIsCheckedByTheirRules() {
        TiledTensorMap map = matrix(TensorDataType.UINT8, 20, 4, 1, Swizzle.B128_ATOM_32B, OobFill.ZERO);
        assertEquals("kernel 'odd': parameter 'matrix' has a map that no encoder would accept: "
                + map.validate(Target.SM_100).report(), broken(map));
    }

    @Test
    void aLaunchNamesBuffersThatItIsGiven() {
        Launch launch = new Launch(PROGRAM, 1, List.of(new Argument.Buffer(0),
                new Argument.Int(1), new Argument.Scalar(0), new Argument.Tensor(map(1), 3)));
        assertEquals("kernel 'bound': parameter 'tiles' is buffer 3, and the launch is given 1 buffers",
                assertThrows(IllegalArgumentException.class, () -> Reference.run(launch, List.of(MEMORY)))
                .getMessage());
    }

    @Test
    void whatIsWrittenIsWritable() {
        refused(POINTER, new Binding.Memory(MEMORY.asReadOnly()), "is written, but its memory is read-only");
        refused(MAP, new Binding.BoundTensorMap(map(1), MEMORY.asReadOnly()),
                "is stored to, but its memory is read-only");
    }

    @Test
    void nothingElseIsBound() {
        refused(new Parameter.Pointer("other", false), new Binding.Memory(MEMORY),
                "is bound, but the kernel has no such parameter");
    }

    @Test
    void theGridHasABlock() {
        assertEquals("kernel 'bound': the grid must have at least 1 block, got 0",
                assertThrows(IllegalArgumentException.class,
                () -> Execution.run(PROGRAM, 0, good(), ReferenceOptions.DEFAULT, null)).getMessage());
    }

    private static void refused(Parameter parameter, Binding binding, String what) {
        Map<Parameter, Binding> bindings = good();
        bindings.put(parameter, binding);
        assertRefused("kernel 'bound': parameter '" + parameter.name() + "' " + what, bindings);
    }

    private static void assertRefused(String message, Map<Parameter, Binding> bindings) {
        assertEquals(message,
                assertThrows(IllegalArgumentException.class,
                () -> Execution.run(PROGRAM, 1, bindings, ReferenceOptions.DEFAULT, null)).getMessage());
    }
}

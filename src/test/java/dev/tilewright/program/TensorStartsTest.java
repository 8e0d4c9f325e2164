package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A tensor copy that starts at a constant coordinate on which the hardware faults is refused with the map. */
class TensorStartsTest {
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 3);
    private static final SharedRegion.Buffer BOX = new SharedRegion.Buffer("box", 8192, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private static TileProgram program(int way, int c0) {
        List<Expr> at = Expr.list(c0, 1, 1);
        return new TileProgram("starts", "starts a copy", 32, List.of(MAP), new SharedLayout(List.of(BOX, FULL)),
                Body.steps(body -> body.purpose("one thread").when(Expr.Builtin.THREAD.isEqualTo(0), one -> {
                    switch (way) {
                        case 0 -> one.purpose("the copy").tensorLoad(BOX.at(0), MAP, at, FULL.at(0));
                        case 1 -> one.purpose("the copy").tensorStore(MAP, at, BOX.at(0));
                        default -> one.purpose("the copy").issue(new TensorReduce(3, AtomicOp.ADD), Input.of(MAP),
                                Input.of(c0), Input.of(1), Input.of(1), Input.of(BOX.at(0)));
                    }
                })));
    }

    private static TiledTensorMap map(TensorDataType type, Interleave interleave) {
        return new TiledTensorMap(type, List.of(64L, 8L, 8L), List.of(4096L, 32768L), List.of(16 / type.bytes(), 4, 4),
                List.of(1, 1, 1), interleave, Swizzle.NONE, L2Promotion.NONE, OobFill.ZERO);
    }

    private static Launch launch(TileProgram program, TiledTensorMap map) {
        return Launch.of(program, 1, Map.of(MAP, new Argument.Tensor(map, 0)));
    }

    @Test
    void aConstantStartIsAMultipleOf16Bytes() {
        Random random = new Random(16);
        for (int i = 0; i < 3_000; i++) {
            int way = random.nextInt(3);
            int c0 = random.nextInt(-70, 70);
            TensorDataType type = TensorDataType.values()[random.nextInt(TensorDataType.values().length)];
            boolean interleaved = random.nextInt(4) == 0;
            TiledTensorMap map = map(type, interleaved ? Interleave.B16 : Interleave.NONE);
            TileProgram program = program(way, c0);
            if (interleaved || c0 * type.bytes() % 16 == 0) {
                assertDoesNotThrow(() -> launch(program, map));
            } else {
                String message = assertThrows(IllegalArgumentException.class, () -> launch(program, map)).getMessage();
                assertTrue(message.startsWith("tensor map 'map': coordinate 0 of a copy is " + c0), message);
            }
        }
    }

    @Test
    void theMessageSaysWhereAndWhatWouldDo() {
        String message = assertThrows(IllegalArgumentException.class,
                () -> launch(program(0, 3), map(TensorDataType.BFLOAT16, Interleave.NONE))).getMessage();
        assertTrue(message.startsWith("tensor map 'map': coordinate 0 of a copy is 3, which is 6 bytes for elements of "
                + "2 bytes: it must "
                + "be a multiple of 16 bytes, or the hardware faults with ILLEGAL_INSTRUCTION; start at a multiple of "
                + "8 elements "
                + "(step: the copy, added at "), message);
    }

    @Test
    void aMapIsRefusedWhenItIsSetForAGpu() {
        try (Gpu gpu = Gpu.emulated(); Buffer<byte[]> memory = gpu.bytes(1 << 19)) {
            KernelLaunch launch = gpu.load(program(1, 2)).prepare();
            assertDoesNotThrow(() -> launch.set("map", map(TensorDataType.INT64, Interleave.NONE), memory));
            assertEquals("kernel 'starts': tensor map 'map': coordinate 0 of a copy is 2, which is 8 bytes",
                    assertThrows(
                    IllegalArgumentException.class,
                    () -> launch.set("map", map(TensorDataType.FLOAT32, Interleave.NONE), memory))
                    .getMessage().split(" for elements")[0]);
        }
    }
}

package dev.tilewright.builder;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link VectorCopy} takes and refuses, and how much each thread has under way. */
class VectorCopyTest {

    private static VectorCopy.Builder f32() {
        return VectorCopy.of(ElementType.F32);
    }

    @ParameterizedTest
    @EnumSource
    void itTakesNoSharedMemory(ElementType type) {
        VectorCopy kernel = VectorCopy.of(type).build();
        assertEquals(0, kernel.program().shared().bytes());
        assertEquals(4096, kernel.tile().getFirst() * type.bytes());
    }

    @Test
    void whatIsRefused() {
        refused("a tile of vector-copy has 1 dimension, got 2: 64x64", () -> f32().tile(64, 64).build());
        refused("a tile of vector-copy is a multiple of 16 bytes, got 5 f32 = 20 bytes: use a multiple of 4 elements",
                () -> f32().tile(5).build());
        refused("vector-copy: loads is 1, 2, 4 or 8, got 3", () -> f32().loads(3).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void allLoadsOfAThreadComeBeforeItsStores(int loads) {
        String source = CudaEmitter.emit(f32().loads(loads).build().program()).text();
        String last = "U32x4 data" + (loads - 1) + " = ";
        assertTrue(source.contains(last) && !source.contains("U32x4 data" + loads + " = "), source);
        assertTrue(source.indexOf(last) < source.indexOf("reinterpret_cast<U32x4*>(result"), source);
    }
}

package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The address of shared memory as a number: buffers lie as far apart as the layout says, at multiples of their alignment. */
class SharedAddressTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer FIRST = new SharedRegion.Buffer("first", 100, 16);
    private static final SharedRegion.Buffer SECOND = new SharedRegion.Buffer("second", 2048, 1024);

    @Test
    void addressesAreThoseOfTheLayout() {
        SharedLayout layout = new SharedLayout(List.of(FIRST, SECOND));
        TileProgram program = new TileProgram("addresses", "stores addresses", 1, List.of(OUT), layout, Body.steps(b ->
                b.store(new Address.Global(OUT, Expr.of(0)), value(FIRST), value(SECOND))));
        try (Arena arena = Arena.ofConfined(); ReferenceDriver driver = new ReferenceDriver();
                DeviceBuffer out = driver.allocate(8); LoadedKernel kernel = driver.load(program)) {
            driver.launch(kernel, Launch.of(program, 1, Map.of(OUT, new Argument.Buffer(0))), List.of(out));
            MemorySegment host = arena.allocate(8);
            driver.download(out, host);
            int first = host.get(ValueLayout.JAVA_INT, 0);
            int second = host.get(ValueLayout.JAVA_INT, 4);
            assertTrue(first > 0);
            assertEquals(layout.offsets().get("second") - layout.offsets().get("first"), second - first);
            assertEquals(0, second % 1024);
        }
        String text = CudaEmitter.emit(program).text();
        assertTrue(text.contains("(int)__cvta_generic_to_shared(second)"), text);
    }

    private static Value value(SharedRegion.Buffer buffer) {
        Value address = buffer.address().toValue();
        assertEquals(ValueType.I32, address.type());
        return address;
    }

    @Test
    void aBufferThatTheKernelLacksIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new TileProgram("addresses", "stores an address", 1, List.of(OUT),
                new SharedLayout(List.of(FIRST)), Body.steps(b ->
                b.store(new Address.Global(OUT, Expr.of(0)), value(SECOND)))));
    }
}

package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The address of shared memory as a number: buffers lie as far apart as the layout says, at multiples of their
 * alignment.
 */
class SharedAddressTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer FIRST = new SharedRegion.Buffer("first", 100, 16);
    private static final SharedRegion.Buffer SECOND = new SharedRegion.Buffer("second", 2048, 1024);

    @Test
    void addressesAreThoseOfTheLayout() {
        SharedLayout layout = new SharedLayout(List.of(FIRST, SECOND));
        TileProgram program = new TileProgram("addresses", "stores addresses", 1, List.of(OUT), layout, Body.steps(b ->
                b.store(new Address.Global(OUT, 0), value(FIRST), value(SECOND))));
        MemorySegment host = MemorySegment.ofArray(new int[2]);
        Reference.run(Launch.of(program, 1, Map.of(OUT, new Argument.Buffer(0))), List.of(host));
        int first = host.get(ValueLayout.JAVA_INT, 0);
        int second = host.get(ValueLayout.JAVA_INT, 4);
        assertTrue(first > 0);
        assertEquals(layout.offsets().get("second") - layout.offsets().get("first"), second - first);
        assertEquals(0, second % 1024);
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
        assertThrows(IllegalArgumentException.class, () -> new TileProgram("addresses", "stores an address", 1,
                List.of(OUT), new SharedLayout(List.of(FIRST)), Body.steps(b ->
                b.store(new Address.Global(OUT, 0), value(SECOND)))));
    }
}

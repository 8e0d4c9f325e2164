package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.verify.ElementMath;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A step is applied to every element of an access and to nothing else, whatever type and size. */
class FragmentTest {
    private static final Parameter.Pointer DATA = new Parameter.Pointer("data", true);

    @ParameterizedTest
    @EnumSource
    void everyElementIsChangedOnce(ElementType type) {
        Parameter.Scalar scalar = new Parameter.Scalar("scalar", ElementStep.scalarType(type));
        for (int count = 1; count * type.bytes() <= 16; count *= 2) {
            for (ElementStep step : List.of(ElementStep.SCALE, ElementStep.ADD)) {
                byte[] data = TestData.bytes(32, count);
                byte[] expected = expected(data.clone(), type, count, step);
                Address.Global start = new Address.Global(DATA, 0);
                int elements = count;
                TileProgram program = new TileProgram("apply", "one step", 1, List.of(DATA, scalar),
                        new SharedLayout(List.of()), Body.steps(body -> {
                            Register r = body.purpose("load").registers("r", ValueType.of(type), elements);
                            body.load(r, start);
                            body.purpose("store").store(start, IntStream.range(0, elements)
                                    .mapToObj(i -> step.typed(type, type).of(List.of(r.at(i)))).toList());
                        }));
                Execution.run(program, 1, Map.of(DATA, new Binding.Memory(MemorySegment.ofArray(data)),
                        scalar, new Binding.Scalar(SCALAR)), ReferenceOptions.DEFAULT, null);
                assertArrayEquals(expected, data, () -> step + " of " + elements + " " + type);
            }
        }
    }

    private static final long SCALAR = Float.floatToRawIntBits(1.5f);

    private static byte[] expected(byte[] data, ElementType type, int count, ElementStep step) {
        for (int i = 0; i < count; i++) {
            long bits = 0;
            for (int b = 0; b < type.bytes(); b++) {
                bits |= (data[i * type.bytes() + b] & 0xFFL) << 8 * b;
            }
            long result = ElementMath.apply(step, type, bits, SCALAR);
            for (int b = 0; b < type.bytes(); b++) {
                data[i * type.bytes() + b] = (byte) (result >>> 8 * b);
            }
        }
        return data;
    }
}

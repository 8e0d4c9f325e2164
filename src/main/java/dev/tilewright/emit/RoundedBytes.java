package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Bytes of f32 rounded to nearest even that are written by one access: an instruction rounds two, and puts them beside
 * two others.
 */
final class RoundedBytes {
    private static final int WORD = 4;

    private RoundedBytes() {
    }

    static boolean isIn(Operation operation) {
        return operation instanceof Operation.StoreValues store && store.type().bits() == Byte.SIZE
                && store.values().size() % WORD == 0 && store.values().stream().allMatch(RoundedBytes::isRounded);
    }

    private static boolean isRounded(Value value) {
        return value instanceof Value.Convert convert && convert.conversion().from() == ValueType.F32
                && convert.conversion().rounding() == Rounding.NEAREST_EVEN && convert.type().isInteger();
    }

    /** The f32 of a value that is rounded, and a value that is not. */
    static Value unrounded(Value value) {
        return isRounded(value) ? ((Value.Convert) value).value() : value;
    }

    static String store(ValueType type, int count) {
        return "store_rounded_" + type + "x" + count;
    }

    static List<String> defineStore(ValueType type, int count) {
        String pack = "cvt.pack.sat." + (type.isSigned() ? "s8" : "u8") + ".s32.b32 ";
        String parameters = IntStream.range(0, count).mapToObj(k -> "float e" + k).collect(Collectors.joining(", "));
        String values = IntStream.range(0, count).mapToObj(k -> "e" + k).collect(Collectors.joining(", "));
        return List.of(
                "// rounds " + count + " values to type " + type + " and stores them as one vector",
                "__device__ __forceinline__ void " + store(type, count) + "(void* to, " + parameters + ") {",
                "    struct alignas(" + count + ") Words { unsigned e[" + count / WORD + "]; };",
                "    const float values[] = {" + values + "};",
                "    Words words;",
                "    #pragma unroll",
                "    for (int k = 0; k < " + count / WORD + "; ++k) {",
                "        asm(\"{ .reg .b32 high; " + pack + "high, %4, %3, 0; " + pack + "%0, %2, %1, high; }\"",
                "                : \"=r\"(words.e[k]) : \"r\"(__float2int_rn(values[4 * k])),",
                "                \"r\"(__float2int_rn(values[4 * k + 1])), \"r\"(__float2int_rn(values[4 * k + 2])),",
                "                \"r\"(__float2int_rn(values[4 * k + 3])));",
                "    }",
                "    *reinterpret_cast<Words*>(to) = words;",
                "}");
    }
}

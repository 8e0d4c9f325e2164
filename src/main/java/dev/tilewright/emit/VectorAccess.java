package dev.tilewright.emit;

import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The C++ functions that move several values of one type by one access. */
final class VectorAccess {
    private VectorAccess() {
    }

    static String load(ValueType type, int count) {
        return "load_" + type + "x" + count;
    }

    static String store(ValueType type, int count) {
        return "store_" + type + "x" + count;
    }

    static List<String> defineLoad(ValueType type, int count) {
        String c = ValueFunctions.cType(type);
        // Words that are taken apart by shifts: the compiler joins these with what makes an f32 of a half.
        boolean halves = type.bits() == Short.SIZE && type.isFloat();
        return List.of(
                "// reads " + count + " values of type " + type + " by one access",
                "__device__ __forceinline__ void " + load(type, count) + "(" + c + "* to, const void* from) {",
                "    " + (halves ? words(ValueType.U32, count / 2) : words(type, count)),
                "    const Words words = *reinterpret_cast<const Words*>(from);",
                "    #pragma unroll",
                "    for (int k = 0; k < " + count + "; ++k) to[k] = " + (halves
                        ? "(unsigned short)(words.e[k / 2] >> k % 2 * 16);" : "words.e[k];"),
                "}");
    }

    static List<String> defineStore(ValueType type, int count) {
        String c = ValueFunctions.cType(type);
        String parameters = IntStream.range(0, count).mapToObj(k -> c + " e" + k).collect(Collectors.joining(", "));
        String values = IntStream.range(0, count).mapToObj(k -> "e" + k).collect(Collectors.joining(", "));
        return List.of(
                "// writes " + count + " values of type " + type + " by one access",
                "__device__ __forceinline__ void " + store(type, count) + "(void* to, " + parameters + ") {",
                "    " + words(type, count),
                "    *reinterpret_cast<Words*>(to) = Words{{" + values + "}};",
                "}");
    }

    private static String words(ValueType type, int count) {
        return "struct alignas(" + count * type.bytes() + ") Words { " + ValueFunctions.cType(type) + " e[" + count
                + "]; };";
    }
}

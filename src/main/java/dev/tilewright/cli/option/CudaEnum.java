package dev.tilewright.cli.option;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.TensorDataType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The enums of a tensor map's description as people write them: the constants of cuda.h in the order of their values,
 * in any case, with or without what they all begin with; and shorter names for some.
 */
public enum CudaEnum {
    DATA_TYPE("CUtensorMapDataType", "CU_TENSOR_MAP_DATA_TYPE_", List.of("UINT8", "UINT16", "UINT32", "INT32", "UINT64",
            "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ",
            "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"), Map.of("F32_FTZ", 10L, "TF32", 11L, "TF32_FTZ", 12L)),
    INTERLEAVE("CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_", List.of("NONE", "16B", "32B"), Map.of()),
    SWIZZLE("CUtensorMapSwizzle", "CU_TENSOR_MAP_SWIZZLE_", List.of("NONE", "32B", "64B", "128B", "128B_ATOM_32B",
            "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"), Map.of()),
    L2_PROMOTION("CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_",
            List.of("NONE", "L2_64B", "L2_128B", "L2_256B"), Map.of("64B", 1L, "128B", 2L, "256B", 3L)),
    OOB_FILL("CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_", List.of("NONE", "NAN_REQUEST_ZERO_FMA"),
            Map.of("ZERO", 0L, "ZEROS", 0L, "NAN", 1L)),
    WIDE_MODE("CUtensorMapIm2ColWideMode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", List.of("W", "W128"), Map.of());

    private final String cudaName;
    private final String prefix;
    private final List<String> constants;
    private final Map<String, Long> shorter;

    CudaEnum(String cudaName, String prefix, List<String> constants, Map<String, Long> shorter) {
        this.cudaName = cudaName;
        this.prefix = prefix;
        this.constants = constants;
        this.shorter = shorter;
    }

    /** The value of a name; none if nothing is called so. */
    public OptionalLong value(String name) {
        String plain = name.strip().toUpperCase(Locale.ROOT);
        if (plain.startsWith(prefix)) {
            plain = plain.substring(prefix.length());
        }
        int constant = constants.indexOf(plain);
        if (constant >= 0 || shorter.containsKey(plain)) {
            return OptionalLong.of(constant >= 0 ? constant : shorter.get(plain));
        }
        return this == DATA_TYPE ? elementType(plain) : OptionalLong.empty();
    }

    /** Types of data, such as f32 or int8, as what a tensor map carries them. */
    private static OptionalLong elementType(String name) {
        try {
            return OptionalLong.of(TensorDataType.of(ElementType.parse(name)).cudaValue());
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    /** What can be written, for messages: {@code an integer or name of CUtensorMapSwizzle (none, 32B, ...)}. */
    public String choices() {
        return "an integer or name of " + cudaName + " (" + constants.stream()
                .map(c -> Character.isDigit(c.charAt(0)) || c.startsWith("L2_") ? c : c.toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", ")) + ")";
    }
}

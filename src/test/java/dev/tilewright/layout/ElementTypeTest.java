package dev.tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ElementTypeTest {

    @ParameterizedTest
    @EnumSource
    void everyTypeIsFoundByItsOwnNameInAnyCase(ElementType type) {
        assertSame(type, ElementType.parse(type.toString()));
        assertSame(type, ElementType.parse(type.toString().toUpperCase(Locale.ROOT)));
    }

    @ParameterizedTest
    @CsvSource({
        "u8, U8, 1, false, false", "i8, I8, 1, true, false", "u16, U16, 2, false, false", "i16, I16, 2, true, false",
        "u32, U32, 4, false, false", "i32, I32, 4, true, false", "u64, U64, 8, false, false",
        "i64, I64, 8, true, false", "f16, F16, 2, true, true", "bf16, BF16, 2, true, true", "f32, F32, 4, true, true",
        "f64, F64, 8, true, true"
    })
    void nameSizeAndKind(String name, ElementType type, int bytes, boolean signed, boolean isFloat) {
        assertEquals(name, type.toString());
        assertEquals(bytes, type.bytes());
        assertEquals(signed, type.isSigned());
        assertEquals(isFloat, type.isFloat());
    }

    @ParameterizedTest
    @CsvSource({
        "uint8, U8", "int8, I8", "uint16, U16", "int16, I16", "uint32, U32", "int32, I32", "uint64, U64", "int64, I64",
        "float16, F16", "half, F16", "bfloat16, BF16", "Float32, F32", "float, F32", "float64, F64", "DOUBLE, F64"
    })
    void longNames(String name, ElementType type) {
        assertSame(type, ElementType.parse(name));
    }

    @Test
    void anUnknownNameListsThoseThereAre() {
        var e = assertThrows(IllegalArgumentException.class, () -> ElementType.parse("tf32"));
        assertEquals("unknown element type 'tf32': expected one of u8 (uint8), i8 (int8), u16 (uint16), i16 (int16),"
                + " u32 (uint32), i32 (int32), u64 (uint64), i64 (int64), f16 (float16, half), bf16 (bfloat16),"
                + " f32 (float32, float), f64 (float64, double)", e.getMessage());
    }
}

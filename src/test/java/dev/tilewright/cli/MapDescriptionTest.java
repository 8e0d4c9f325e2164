package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.cli.tensormap.MapDescription;
import dev.tilewright.cli.tensormap.MapFields;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptions as JSON: what may be left out, how enums may be written, and each way to get it wrong. */
class MapDescriptionTest {

    private static EncodeCall tile(String more) {
        return MapDescription.read("{\"mode\":\"tile\",\"dim\":[64,32,5],\"box\":[16,8,1]" + more + "}");
    }

    @Test
    void leftOutIsDenseAndNone() {
        assertEquals(new TiledCall(7, 0, List.of(64L, 32L, 5L), List.of(256L, 8192L), List.of(16L, 8L, 1L),
                List.of(1L, 1L, 1L), 0, 0, 0, 0), tile(",\"dtype\":7"));
        assertEquals(new Im2colCall(6, 0, List.of(64L, 56L, 8L), List.of(128L, 7168L), List.of(-1L), List.of(1L), 64,
                128, List.of(1L, 1L, 1L), 0, 0, 0, 0),
                MapDescription.read("{\"mode\":\"im2col\",\"dtype\":6,\"dim\":[64,56,8],"
                        + "\"lower\":[-1],\"upper\":[1],\"channels\":64,\"pixels\":128}"));
        assertEquals(new Im2colWideCall(6, 0, List.of(64L, 56L, 8L), List.of(128L, 7168L), -1, 1, 64, 128,
                List.of(1L, 1L, 1L), 0, 1, 3, 0, 0), MapDescription.read("{\"mode\":\"IM2COL-WIDE\",\"dtype\":6,"
                        + "\"dim\":[64,56,"
                        + "8],\"lower\":[-1],\"upper\":1,\"channels\":64,\"pixels\":128,\"wideMode\":\"w128\","
                        + "\"swizzle\":\"128b\"}"));
    }

    @ParameterizedTest
    @CsvSource({"7, 0, 256 8192", "0, 0, 64 2048", "5, 0, 512 16384", "13, 0, 32 1024", "14, 0, 32 1024",
            "15, 0, 48 1536",
        "0, 1, 1024 32768", "7, 2, 2048 65536", "16, 0, 1024 32768", "-1, 0, 1024 32768"})
    void denseStridesFollowTheType(long type, long interleave, String strides) {
        assertEquals(List.of(strides.split(" ")), tile(",\"dtype\":" + type + ",\"interleave\":" + interleave).strides()
                .stream()
                .map(String::valueOf).toList());
    }

    @Test
    void denseStridesOfAnyIntegersStopAtTheLargest() {
        EncodeCall call =
                MapDescription.read("{\"mode\":\"tile\",\"dtype\":5,\"dim\":[9223372036854775807,-3,4,1],\"box\":[]}");
        assertEquals(List.of(Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE), call.strides());
        assertEquals(List.of(), MapDescription.read("{\"mode\":\"tile\",\"dtype\":5,\"dim\":[],\"box\":[]}").strides());
    }

    @ParameterizedTest
    @CsvSource({"float32, 7", "FLOAT32, 7", "CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7", "cu_tensor_map_data_type_uint8, 0",
            "f32, 7",
        "half, 6", "bf16, 9", "BFLOAT16, 9", "double, 8", "i8, 0", "int16, 1", "tf32, 11", "TFLOAT32_FTZ, 12",
        "float32_ftz, 10", "16U6_ALIGN16B, 15", "16u4_align8b, 13"})
    void typesHaveNames(String name, long value) {
        assertEquals(value, tile(",\"dtype\":\"" + name + "\"").dataType());
    }

    @ParameterizedTest
    @CsvSource({"swizzle, none, 0", "swizzle, 128B, 3", "swizzle, CU_TENSOR_MAP_SWIZZLE_64B, 2",
            "swizzle, 128b_atom_32b, 4",
        "swizzle, 128B_ATOM_32B_FLIP_8B, 5", "swizzle, 128B_ATOM_64B, 6", "interleave, NONE, 0", "interleave, 32b, 2",
        "interleave, CU_TENSOR_MAP_INTERLEAVE_16B, 1", "l2, none, 0", "l2, L2_128B, 2", "l2, 256B, 3",
        "l2, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, 1", "oob, none, 0", "oob, zeros, 0", "oob, nan, 1",
        "oob, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, 1"})
    void modesHaveNames(String field, String name, long value) {
        MapFields named = MapFields.of(tile(",\"dtype\":7,\"" + field + "\":\"" + name + "\""));
        assertTrue(Json.line(named).contains("\"" + field + "\":" + value + (field.equals("oob") ? "}" : ",")),
                Json.line(named));
        assertEquals(named, MapFields.of(tile(",\"dtype\":7,\"" + field + "\":" + value)));
    }

    @ParameterizedTest
    @CsvSource({"4096, 4096", "18446744073709551600, -16", "-9223372036854775808, -9223372036854775808",
        "'\"0x7f00\"', 32512", "'\"0XFFFFFFFFFFFFFFF0\"', -16"})
    void addressesHave64Bits(String json, long value) {
        assertEquals(value, tile(",\"dtype\":7,\"address\":" + json).address());
    }

    @ParameterizedTest
    @CsvSource({"'\"address\":18446744073709551616', address, 64 bits, 18446744073709551616",
        "'\"address\":-18446744073709551616', address, 64 bits, -18446744073709551616",
        "'\"dim\":[1,99999999999999999999999]', dim[1], 64 bits with the sign, 99999999999999999999999",
        "'\"dtype\":-9223372036854775809', dtype, 64 bits with the sign, -9223372036854775809"})
    void numbersBeyond64BitsAreRefusedAsWritten(String field, String name, String bits, String number) {
        String json = "{\"mode\":\"tile\"," + (name.equals("dtype") ? "" : "\"dtype\":7,")
                + (name.equals("address") ? "\"dim\":[64]," : "") + field + "}";
        assertEquals("tilewright: line 1: field '" + name + "' must fit in " + bits + ", got " + number,
                PipedCommand.run(json, "tensormap", "check").refusal());
    }

    @Test
    void longNumbersAreShortened() {
        for (int digits : List.of(100, 1000, 2000, 1_000_000)) {
            String refusal = PipedCommand.run("{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64," + "9".repeat(digits) + "]}",
                    "tensormap", "encode").refusal();
            assertEquals("tilewright: line 1: field 'dim[1]' must fit in 64 bits"
                    + (digits > 1000 ? "" : " with the sign")
                    + ", got " + "9".repeat(57) + "...", refusal);
        }
    }

    @Test
    void longListsAreCountedAndRefused() {
        for (String entry : List.of("1,", "[],", "{\"a\":[1]},")) {
            assertEquals("tilewright: line 1: field 'box' must have at most 16 entries, got 100001",
                    PipedCommand.run("{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64],\"box\":[" + entry.repeat(100_000)
                    + "1]}",
                            "tensormap", "check").refusal());
        }
    }

    @Test
    void whatIsWrittenIsReadIn10000CallsOfSeed11() {
        RandomEncodeCalls calls = new RandomEncodeCalls(11);
        for (int i = 0; i < 10_000; i++) {
            EncodeCall call = calls.next();
            assertEquals(call, MapDescription.read(Json.line(MapFields.of(call))));
        }
        Im2colWideCall wide = new Im2colWideCall(6, 16, List.of(64L, 56L, 8L), List.of(128L, 7168L), -1, 1, 64, 128,
                List.of(1L, 2L, 1L), 0, 1, 3, 2, 1);
        assertEquals(wide, MapDescription.read(Json.line(MapFields.of(wide))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "[1,2] | a description is a JSON object, got [1,2]",
        "7 | a description is a JSON object, got 7",
        "nonsense | not JSON, column 9: Unrecognized token 'nonsense': was expecting (JSON String, Number, Array, "
        + "Object or token"
            + " 'null', 'true' or 'false')",
        "{\"mode\":\"tile\" | the JSON ends too early: write each description on one line",
        "{} x | not JSON, column 5: Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token "
        + "'null',"
            + " 'true' or 'false')",
        "{\"box\":1,\"box\":2} | not JSON, column 15: Duplicate field 'box'",
        "{} | field 'mode' is missing",
        "{\"mode\":1} | field 'mode' must be a string, got 1",
        "{\"mode\":\"im2row\"} | field 'mode' must be tile, im2col or im2col-wide, got \"im2row\"",
        "{\"mode\":\"tile\",\"swizle\":1} | unknown field 'swizle': did you mean 'swizzle'?",
        "{\"mode\":\"tile\",\"elementstride\":1} | unknown field 'elementstride': did you mean 'elementStride'?",
        "{\"mode\":\"tile\",\"channels\":1} | unknown field 'channels': a tile description has mode, dtype, rank, "
        + "address, dim,"
            + " stride, elementStride, interleave, swizzle, l2, oob, box, kind, result, map",
        "{\"mode\":\"im2col\",\"box\":[1]} | unknown field 'box': an im2col description has mode, dtype, rank, "
        + "address, dim,"
            + " stride, elementStride, interleave, swizzle, l2, oob, lower, upper, channels, pixels, kind, result, map",
        "{\"mode\":\"tile\",\"kind\":\"load\"} | field 'kind' must be encode, or left out, got \"load\"",
        "{\"mode\":\"tile\"} | field 'dtype' is missing",
        "{\"mode\":\"tile\",\"dtype\":\"float31\"} | field 'dtype' must be an integer or name of CUtensorMapDataType "
        + "(uint8,"
            + " uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16, float32_ftz, tfloat32, "
            + "tfloat32_ftz,"
            + " 16U4_ALIGN8B, 16U4_ALIGN16B, 16U6_ALIGN16B), got \"float31\"",
        "{\"mode\":\"tile\",\"dtype\":7} | field 'dim' is missing",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":64} | field 'dim' must be a list of integers, got 64",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64,1.5]} | field 'dim[1]' must be an integer, got 1.5",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64,null]} | field 'dim[1]' must be an integer, got null",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64],\"rank\":2} | field 'rank' must be the number of dimensions in "
        + "'dim', which"
            + " is 1, got 2",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64],\"address\":\"7f00\"} | field 'address' must be an integer, or 0x "
        + "and up to"
            + " 16 hexadecimal digits in a string, got \"7f00\"",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64],\"swizzle\":null} | field 'swizzle' must be an integer or name of"
            + " CUtensorMapSwizzle (none, 32B, 64B, 128B, 128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B, 128B_ATOM_64B), got "
            + "null",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64],\"l2\":2.0} | field 'l2' must be an integer or name of"
            + " CUtensorMapL2promotion (none, L2_64B, L2_128B, L2_256B), got 2.0",
        "{\"mode\":\"tile\",\"dtype\":7,\"dim\":[64]} | field 'box' is missing",
        "{\"mode\":\"im2col\",\"dtype\":7,\"dim\":[64],\"lower\":[],\"upper\":[],\"channels\":\"8\"} | field "
        + "'channels' must be"
            + " an integer, got \"8\"",
        "{\"mode\":\"im2col-wide\",\"dtype\":7,\"dim\":[64],\"lower\":[1,2]} | field 'lower' must be an integer, got "
        + "[1,2]"})
    void oneSentenceNamesTheField(String json, String sentence) {
        assertEquals("tilewright: line 2: " + sentence, PipedCommand.run("\n" + json, "tensormap", "check").refusal());
    }
}

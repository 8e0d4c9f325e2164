package dev.tilewright.tensormap.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.TiledTensorMapBuilder;
import dev.tilewright.tensormap.Validation;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What a complaint suggests does: followed, the complaint goes, and no error comes instead. */
class SuggestionsTest {

    @Property
    void aStrideIsPaddedIntoTheRangeOrNotAtAll(@ForAll long stride) {
        Matcher padded = suggestion("stride-aligned", tiled(64, 64).stridesInBytes(stride), "pad it to (-?\\d+) bytes");
        if (padded != null) {
            long to = Long.parseLong(padded.group(1));
            assertTrue(to > 0 && to < 1L << 40 && to % 16 == 0 && to >= stride, padded.group());
        }
    }

    @Test
    void anExtentIsNotRoundedUpBeyondTheLargest() {
        String text = text(TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(1024, 1024).box(16, 256)
                .elementStrides(1, 3));
        assertTrue(text.contains("use 255, which moves one element fewer (element-stride-remainder)"), text);
        String followed = text(TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(1024, 1024).box(16, 255)
                .elementStrides(1, 3));
        assertFalse(followed.contains("element-stride-remainder") || followed.contains("error"), followed);
    }

    @Test
    void theLargestBoxFitsABlockToo() {
        Matcher fits = suggestion("box-bytes", TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(1024, 1024)
                .box(256, 256), "the largest box\\[1\\] that fits is (\\d+)");
        assertEquals("227", fits.group(1));
        assertEquals("", text(TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(1024, 1024).box(256, 227)));
    }

    @Test
    void aGapIsClosedEitherWay() {
        String text = text(tiled(1024, 1024).box(24, 8).swizzle(Swizzle.B128));
        assertTrue(text.contains("use 32, or no swizzle; 32 bytes of each row stay untouched (swizzle-gap)"), text);
        assertFalse(text(tiled(1024, 1024).box(32, 8).swizzle(Swizzle.B128)).contains("swizzle-gap"));
        assertFalse(text(tiled(1024, 1024).box(24, 8)).contains("swizzle-gap"));
        String half = text(tiled(1024, 1024).box(16, 8).swizzle(Swizzle.B128));
        assertTrue(half.contains("use 32, or swizzle 64B;"), half);
        assertFalse(text(tiled(1024, 1024).box(16, 8).swizzle(Swizzle.B64)).contains("swizzle-gap"));
    }

    @Test
    void theSmallestRowThatCoversATensorIsNotTooLarge() {
        assertFalse(text(tiled(3, 64).stridesInBytes(16).box(4, 8)).contains("box-beyond-tensor"));
        assertTrue(text(tiled(3, 64).stridesInBytes(16).box(8, 8)).contains("at most dim[0] = 3 in whole 16 bytes, 4"));
    }

    @Test
    void aVeryLongListIsNoTrouble() {
        long[] ones = new long[30_000];
        Arrays.fill(ones, 1);
        assertTrue(TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(ones).box(32).validate(Target.SM_90)
                .errors().size() > 1);
    }

    private static TiledTensorMapBuilder tiled(long... shape) {
        return TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(shape).box(32, 8);
    }

    private static String text(TiledTensorMapBuilder map) {
        Validation found = map.validate(Target.SM_90);
        return String.join("\n", java.util.stream.Stream.concat(
                found.errors().stream().map(v -> "error " + v), found.warnings().stream().map(Object::toString))
                .filter(line -> !line.contains("swizzle-base")).toList());
    }

    private static Matcher suggestion(String rule, TiledTensorMapBuilder map, String pattern) {
        String line = text(map).lines().filter(l -> l.contains("(" + rule + ")")).findFirst().orElse("");
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        return matcher.find() ? matcher : null;
    }
}

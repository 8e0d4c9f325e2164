package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Copies of 4 and 8 bytes: arrays that begin anywhere, in tiles that begin where the result's lines do. */
class NarrowCopiesTest {
    private static final byte UNTOUCHED = (byte) 0xAB;
    private static final int ROOM = 256;

    private static ElementwiseKernel kernel(int copyBytes, int stages, int tileWords) {
        return CpAsyncPipeline.of(ElementType.I32).copyBytes(copyBytes).stages(stages).tile(tileWords).threads(64)
                .build();
    }

    /** The launch with arrays that begin so many bytes within theirs. */
    private static Launch shifted(Launch launch, int from, int to, int bytes) {
        List<Argument> arguments = launch.arguments().stream()
                .map(argument -> argument instanceof Argument.Buffer(int n, _, _)
                ? new Argument.Buffer(n, n == 0 ? from : to, bytes) : argument).toList();
        return new Launch(launch.program(), launch.blocks(), arguments);
    }

    @Property(tries = 50)
    @OrdinaryTries(20)
    void everyByteIsCopiedAndNoOtherIsTouched(@ForAll @IntRange(max = 3000) int words,
            @ForAll @IntRange(max = 31) int from,
            @ForAll @IntRange(max = 31) int to, @ForAll @IntRange(min = 1, max = 4) int stages, @ForAll boolean wide,
            @ForAll @IntRange(min = 1, max = 4) int tile, @ForAll @IntRange(min = 1, max = 3) int each) {
        int copyBytes = wide ? 8 : 4;
        int bytes = 4 * (wide ? words / 2 * 2 : words);
        ElementwiseKernel kernel = kernel(copyBytes, stages, 128 * tile);
        byte[] source = TestData.bytes(bytes + ROOM, words);
        byte[] result = new byte[bytes + ROOM];
        Arrays.fill(result, UNTOUCHED);
        byte[] expected = result.clone();
        System.arraycopy(source, from * copyBytes, expected, to * copyBytes, bytes);
        Launch launch = shifted(kernel.launch(List.of(bytes / 4L), 0, GridPolicy.tilesEach(each)), from * copyBytes,
                to * copyBytes, bytes);
        List<MemorySegment> arrays = List.of(MemorySegment.ofArray(source), MemorySegment.ofArray(result));
        Reference.run(launch, arrays);
        assertArrayEquals(expected, result);
        HazardReport report = HazardCheck.check(launch, arrays);
        assertTrue(report.isClean(), report::toString);
    }

    @Test
    void tilesBeginWhereTheResultsLinesDo() {
        for (int stages : new int[] {1, 3}) {
            assertTrue(CudaEmitter.emit(kernel(4, stages, 128).program()).text()
                    .contains("- ((long long)result & 127LL)"));
            assertTrue(!CudaEmitter.emit(kernel(16, stages, 256).program()).text().contains("127"));
        }
        // 128 words make a tile: one more may be needed, for a result that begins behind a line's first word.
        assertEquals(1, kernel(4, 1, 128).launch(List.of(97L), 0).blocks());
        assertEquals(2, kernel(4, 1, 128).launch(List.of(98L), 0).blocks());
        assertEquals(1, kernel(16, 1, 256).launch(List.of(256L), 0).blocks());
    }

    /** What a step makes wider lies elsewhere in the result, whose lines are not the tiles'. */
    @Test
    void tilesOfAStepThatWidensAreTheSources() {
        ElementwiseKernel kernel = CpAsyncPipeline.of(ElementType.F32).resultType(ElementType.F64).copyBytes(4)
                .step(ElementStep.COPY)
                .tile(128).build();
        assertEquals(1, kernel.launch(List.of(128L), 0).blocks());
    }
}

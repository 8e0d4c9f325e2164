package dev.tilewright.builder.pipeline;

import static dev.tilewright.verify.draw.PipelineCase.SOURCE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.verify.draw.CopyKernels.Copies;
import dev.tilewright.verify.draw.CopyKernels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Copies that threads perform together: the bytes that a plain loop copies, no other, whatever the addresses. */
class CollectiveCopyTest {

    private static void hold(Copies copies) {
        byte[] source = copies.source();
        byte[] result = new byte[copies.resultBytes()];
        HazardReport report = HazardCheck.check(copies.launch(), List.of(MemorySegment.ofArray(source),
                MemorySegment.ofArray(result)), HazardOptions.DEFAULT.withSeeds(1L));
        assertEquals(List.of(), report.findings(), () -> copies + "\n" + report);
        assertTrue(report.complete(), copies::toString);
        assertArrayEquals(copies.expected(source), result, copies::toString);
    }

    @Property(tries = 80)
    @OrdinaryTries(25)
    void anyBytesAtAnyAddresses(@ForAll long seed) {
        hold(CopyKernels.random(new SplittableRandom(seed), 1));
    }

    @Property(tries = 40)
    @OrdinaryTries(15)
    void promisedAlignments(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        hold(CopyKernels.random(random, 1 << random.nextInt(1, 5)));
    }

    @Test
    void everyPairOfPlaces() {
        for (int to = 0; to < 16; to++) {
            for (int from = 0; from < 16; from += 5) {
                if (Thorough.takes(4 * to + from / 5, 3)) {
                    hold(new Copies(to, from, 100, new ThreadRange(0, 32), 1, true));
                }
            }
        }
    }

    @Test
    void whatIsPromisedIsDecidedWhenBuilt() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 64, 16);
        for (int promise : new int[] {4, 8, 16}) {
            CollectiveCopy copy = CollectiveCopy.by(ThreadRange.warp(0)).aligned(promise);
            assertFalse(copy.stores());
            var program = CopyKernels.program("promised", 32, List.of(buffer), body -> copy.write(body,
                    buffer.at(0), new Address.Global(SOURCE, 0), 64));
            assertEquals(List.of("cp_async_" + promise + (promise < 16 ? "_ca" : "")), program.instructions().stream()
                    .map(PtxInstruction::functionName).collect(Collectors.toList()));
        }
    }

    @Test
    void whatCannotBeAlignedIsRefused() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 64, 4);
        CollectiveCopy copy = CollectiveCopy.by(ThreadRange.warp(0));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Body.steps(body -> copy.write(body,
                buffer.at(0), new Address.Global(SOURCE, 0), 64))).getMessage()
                .contains("give it an alignment of 16"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> copy.aligned(3)).getMessage().contains("got 3"));
    }
}

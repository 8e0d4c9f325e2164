package dev.tilewright.hazard.blame;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.StepLocation;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels with one edit each: the first finding names the step that has to be changed, or the place where one is
 * missing, and says what an engineer needs to change it.
 */
class BlameTest {

    static List<Blame> all() {
        return Stream.of(RingBlames.all(), HandshakeBlames.all(), GroupBlames.all(), StoreBlames.all(),
                ClusterBlames.all(), FlagBlames.all(), TurnBlames.all(), MulticastBlames.all(), LineBlames.all(),
                TwoTileBlames.all(), HandOverBlames.all(), ProductBlames.all()).flatMap(List::stream).toList();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("all")
    void isNamed(Blame blame) {
        HazardReport report = blame.check();
        assertTrue(!report.isClean(), () -> blame + " is not found");
        Finding first = report.findings().getFirst();
        assertAll(blame + "\n" + report, () -> assertEquals(blame.code(), first.code()),
                () -> assertEquals(blame.step(), first.purpose()),
                () -> assertEquals(List.of(), blame.words().stream().filter(w -> !first.message().contains(w))
                        .toList()));
    }

    @Test
    void aPlainStoreToAFlagIsOneFinding() {
        Blame plain = FlagBlames.all().stream().filter(b -> b.toString().endsWith("stored plain")).findFirst()
                .orElseThrow();
        HazardReport report = plain.check();
        assertEquals(1, report.findings().size(), report::toString);
        List<StepLocation> others = report.findings().getFirst().alsoAt();
        assertEquals(List.of("take"), others.stream().map(StepLocation::purpose).toList());
    }

    /** Where a consumer does not wait, phases begin and end too soon: that is no mistake of the others. */
    @Test
    void whereAConsumerDoesNotWaitNoOtherCountIsBlamed() {
        DrawnRingsTest.all().filter(ring -> ring.toString().endsWith("no wait full")).forEach(ring ->
                assertTrue(ring.check().findings().stream().noneMatch(f -> f.code() == HazardCode.WRONG_ARRIVAL_COUNT),
                        () -> ring.check().toString()));
    }

    @Test
    void nothingIsSaidWithoutTheEdit() {
        assertAll(all().stream().map(Blame::runner).distinct().map(r -> () -> {
            HazardReport report = r.check(null);
            assertTrue(report.isClean(), report::toString);
        }));
    }
}

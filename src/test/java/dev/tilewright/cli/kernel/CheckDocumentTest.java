package dev.tilewright.cli.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.cli.terminal.Json;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.NotAnalysed;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.program.JavaLine;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The fields of {@code check --json}, and which of them are left out. */
class CheckDocumentTest {
    private static final StepLocation STEP = new StepLocation(3, "load", 95,
            Optional.of(new JavaLine("Blur.java", 17)));

    private static Finding finding(HazardCode code, Optional<Place> place) {
        return new Finding(code, STEP, 2, place, Optional.empty(), Optional.empty(), "a wait", "add one", "the whole",
                List.of());
    }

    @Test
    void aFindingSaysItsBytesWhereItIsAboutBytes() {
        HazardReport report = new HazardReport("k", 2, 4, 1024, false, List.of(
                finding(HazardCode.READ_IN_FLIGHT, Optional.of(new Place(true, 2, "tile", 16, 8))),
                finding(HazardCode.DEADLOCK, Optional.empty())));
        assertEquals("""
                {"complete":false,"blocks":2,"checkedBytes":1024,"findings":[\
                {"code":"read-in-flight","step":3,"purpose":"load","line":95,"javaLine":"Blur.java:17","otherStep":0,\
                "block":2,\
                "bytes":"bytes 16 to 23 of shared 'tile'","wanted":"a wait","fix":"add one","message":"the whole"},\
                {"code":"deadlock","step":3,"purpose":"load","line":95,"javaLine":"Blur.java:17","otherStep":0,\
                "block":2,\
                "wanted":"a wait","fix":"add one","message":"the whole"}]}""",
                Json.line(CheckDocument.Launch.of(report)));
    }

    @Test
    void whatIsNotAnalysedIsListed() {
        HazardReport report = new HazardReport("k", 1, 1, 0, false, List.of(),
                List.of(new NotAnalysed("st.bulk", Optional.of(Target.SM_100), STEP, "why not")));
        assertEquals("""
                {"complete":false,"blocks":1,"checkedBytes":0,"findings":[],"notAnalysed":[\
                {"form":"st.bulk","needs":"sm_100","step":3,"purpose":"load","line":95,"reason":"why not"}]}""",
                Json.line(CheckDocument.Launch.of(report)));
    }

    @Test
    void mutantsAreLeftOutWhereNoneWereAskedFor() {
        assertEquals("""
                {"preset":"p","clean":true,"launches":[]}""",
                Json.line(new CheckDocument.CheckedPreset("p", true, List.of(), null, null, null, null)));
        assertEquals("""
                {"preset":"p","clean":true,"launches":[],"mutants":[]}""",
                Json.line(new CheckDocument.CheckedPreset("p", true, List.of(), List.of(), null, null, null)));
    }
}

package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CheckSummary.Entry;
import dev.tilewright.verify.CheckSummary.Outcome;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A run of checks: what is wrong, what is thrown and what cannot be done each ends in the summary, and the run goes on.
 */
class VerificationTest {
    private static final CopyCase CASE = new CopyCase(Presets.named("bulk-copy"), Schedule.DEFAULT, ElementType.U8,
            List.of(5L),
            1, 0, 1);

    private final List<Entry> heard = new ArrayList<>();
    private final Verification verification = new Verification(heard::add);

    @Test
    void checksEndAsTheyShould() {
        verification.check("g", "good", Optional::empty);
        verification.check("g", "bad", () -> Optional.of("the bytes differ"));
        verification.check("g", "thrown", () -> {
            throw new java.io.IOException("gone");
        });
        verification.skip("g", "cases", 2, "no GPU");
        assertEquals(List.of("good PASSED ", "bad FAILED the bytes differ", "thrown FAILED java.io.IOException: gone"),
                heard.stream().map(e -> e.name() + " " + e.outcome() + " " + e.detail()).toList());
        assertEquals("cases 5 passed 1 failed 2 skipped 2", verification.summary().lastLine());
        assertEquals(heard.subList(1, 3), verification.summary().failures());
        assertTrue(heard.stream().allMatch(e -> e.seconds() >= 0 && e.seconds() < 60));
    }

    /** In the words of the compiler's process. */
    @Test
    void aCompilerThatASignalOfATerminalEndedIsToldFromOneThatCrashed() {
        String started = "MissingRequirementException: no process can be started to compile in (it ended with signal "
                + "2): TILEWRIGHT";
        assertTrue(Verification.isOfASignal(started));
        String compiling = "NVRTC 12.9 crashed when it compiled kernel 'k' for sm_90: its process ended with signal ";
        assertTrue(Verification.isOfASignal(compiling + "15; another NVRTC may compile it"));
        assertTrue(Verification.isOfASignal(compiling + "1"));
        assertFalse(Verification.isOfASignal(compiling + "6: terminate called"));
        assertFalse(Verification.isOfASignal(compiling + "11"));
        assertFalse(Verification.isOfASignal("the bytes differ"));
    }

    @Test
    void casesRunOnTheDevice() {
        CaseRunner.run(verification, "gpu", new DamagingDevice((_, _) -> { }), List.of(CASE, CASE));
        assertEquals("cases 2 passed 2 failed 0 skipped 0", verification.summary().lastLine());
        assertEquals(CASE.toString(), heard.getFirst().name());
    }

    @Test
    void aDamagedResultIsAFailure() {
        CaseRunner.run(verification, "gpu",
                new DamagingDevice((_, after) -> after.set(ValueLayout.JAVA_BYTE, 5, (byte) 0)),
                List.of(CASE));
        assertEquals("byte 0 after the end of the result was written", heard.getFirst().detail());
        assertEquals(Outcome.FAILED, heard.getFirst().outcome());
    }

    @Test
    void whatADeviceIsTooOldOrTooSmallForIsSkipped() {
        CopyCase small = new CopyCase(Presets.named("cp-async-pipeline"), Schedule.parse("stages=2"), ElementType.U8,
                List.of(5L), 1, 0, 1);
        CopyCase large = new CopyCase(Presets.named("cp-async-pipeline"), Schedule.parse("stages=8 tile=16384"),
                ElementType.U8, List.of(5L), 1, 0, 1);
        CaseRunner.run(verification, "gpu", new DamagingDevice(Target.SM_86, 99 * 1024, (_, _) -> { }),
                List.of(CASE, small, large));
        assertEquals(List.of("this GPU is sm_86, the kernel needs sm_90", "",
                "this GPU has 101376 bytes of shared memory per block, the kernel needs 131072"),
                heard.stream().map(Entry::detail).toList());
        assertEquals("cases 3 passed 1 failed 0 skipped 2", verification.summary().lastLine());
    }

    /** On several devices at once, one of which goes wrong with arrays of one size. */
    @Test
    void manyCasesEndInTheirOrder() {
        List<CopyCase> cases = new CopyCases(List.of(Presets.named("bulk-copy"), Presets.named("vector-copy")), 5, 3)
                .next(60);
        CopyCase damaged = cases.get(31);
        List<DamagingDevice> devices = Stream.generate(() -> new DamagingDevice((_, after) -> {
            if (after.byteSize() == damaged.bytes() + 512) {
                after.set(ValueLayout.JAVA_BYTE, 0, (byte) ~after.get(ValueLayout.JAVA_BYTE, 0));
            }
        })).limit(3).toList();
        CaseRunner.run(verification, "gpu", devices, cases);
        assertEquals(cases.stream().map(CopyCase::toString).toList(), heard.stream().map(Entry::name).toList());
        for (int i = 0; i < cases.size(); i++) {
            assertEquals(cases.get(i).bytes() == damaged.bytes() ? Outcome.FAILED : Outcome.PASSED,
                    heard.get(i).outcome(), heard.get(i)::toString);
        }
        assertTrue(heard.get(31).detail().startsWith("against a direct computation, 1 byte differs, at byte 0"),
                heard.get(31)::detail);
        assertEquals(60, verification.times().cases());
        long kernels = IntStream.range(0, 60).filter(i -> i == 0 || !cases.get(i).sharesKernelWith(cases.get(i - 1)))
                .count();
        assertEquals(kernels, verification.times().kernels());
        assertTrue(verification.times().toString().matches("60 cases of " + kernels
                + " kernels? in [0-9.]+ s, [0-9]+ cases? a second; "
                + "ms of a case: build [0-9.]+, compile .+, expect .+, reference .+, wait .+, device .+, compare "
                + "[0-9.]+"), verification.times()::toString);
    }

    /** A kernel that does not load fails its cases, and no others. */
    @Test
    void aKernelThatDoesNotLoadFailsItsCases() {
        CopyCase other = new CopyCase(Presets.named("vector-copy"), Schedule.DEFAULT, ElementType.U8, List.of(5L), 1,
                0, 1);
        CaseDevice good = CaseDevice.reference(ReferenceOptions.DEFAULT);
        CaseDevice refusing = (CaseDevice) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {CaseDevice.class}, (_, method, arguments) -> {
            if (method.getName().equals("load") && ((TileProgram) arguments[0]).name().equals("bulk_copy")) {
                throw new IllegalStateException("does not compile");
            }
            return method.invoke(good, arguments);
        });
        CaseRunner.run(verification, "gpu", refusing, List.of(CASE, CASE, other, CASE));
        assertEquals(List.of("java.lang.IllegalStateException: does not compile",
                "java.lang.IllegalStateException: does not compile", "",
                "java.lang.IllegalStateException: does not compile"), heard.stream().map(Entry::detail).toList());
    }
}

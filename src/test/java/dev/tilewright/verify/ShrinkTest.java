package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.junit.VerifiedCase;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.verify.draw.Kinds;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A failing case becomes the smallest that still fails, and a test that stands alone. */
class ShrinkTest {
    private static final CaseKinds KINDS = Kinds.of(Presets.CATALOG, Presets.ALL);

    @TempDir
    Path folder;

    /** A device that damages the results of some launches. */
    private static CaseDevice broken(Predicate<Launch> where) {
        return new DamagingDevice((_, after) -> after.set(ValueLayout.JAVA_BYTE, 0,
                (byte) (after.get(ValueLayout.JAVA_BYTE, 0) ^ 1)), where);
    }

    private static VerifyCase first(String kind, Predicate<VerifyCase> wanted) {
        CaseKinds one = new CaseKinds(KINDS.kinds().stream().filter(k -> k.name().equals(kind)).toList());
        return LongStream.range(0, 300).mapToObj(n -> one.group(11, n).getFirst()).filter(wanted::test).findFirst()
                .orElseThrow();
    }

    /** Runs case by case, the first failure the last. @param one says what is wrong with a case, or nothing */
    private static Shrink.Check oneByOne(Function<VerifyCase, Optional<String>> one) {
        return cases -> cases.stream().flatMap(next -> {
            try {
                return one.apply(next).map(wrong -> new Shrink.Failure(next, wrong)).stream();
            } catch (RuntimeException e) {
                return Stream.of(new Shrink.Failure(next, e.toString()));
            }
        }).findFirst();
    }

    private static Shrink.Result shrunk(CaseDevice device, VerifyCase failing) {
        String complaint = CaseCheck.run(device, failing).orElseThrow();
        return new Shrink(oneByOne(next -> CaseCheck.run(device, next)), 3000, Duration.ofMinutes(2))
                .from(new Shrink.Failure(failing, complaint));
    }

    private static boolean holdsAtom(Launch launch) {
        return launch.program().instructions().stream().anyMatch(Atom.class::isInstance);
    }

    @Test
    void aProgramShrinksToTheInstructionThatIsBroken() {
        VerifyCase failing = first("instructions", c -> holdsAtom(c.work().launch()));
        assertTrue(failing.work().launch().program().instructions().size() > 6);
        CaseDevice device = broken(ShrinkTest::holdsAtom);
        VerifyCase smallest = shrunk(device, failing).smallest().failed();
        assertTrue(holdsAtom(smallest.work().launch()), smallest::toString);
        assertTrue(smallest.line().toString().length() <= 45, smallest::toString);
        assertEquals(Optional.empty(),
                CaseCheck.run(device, first("instructions", c -> !holdsAtom(c.work().launch()))));
    }

    @Test
    void anArrayShrinksToTheSizeThatIsBroken() {
        CopyCase failing = (CopyCase) first("copy", c -> ((CopyCase) c).bytes() > 20_000
                && ((CopyCase) c).changes().options().size() > 2);
        CopyCase before = failing.withTilesPerBlock(1);
        Shrink.Result result = shrunk(broken(launch -> launch.blocks() > 1), before);
        CopyCase smallest = (CopyCase) result.smallest().failed();
        assertTrue(smallest.launch().blocks() == 2, smallest::toString);
        assertTrue(smallest.bytes() < before.bytes(), smallest::toString);
        assertTrue(result.complete(), result::toString);
        assertEquals(0, smallest.scalarBits());
    }

    @Test
    void whatThrowsFailsToo() {
        Shrink.Failure failing = new Shrink.Failure(first("values", _ -> true), "it is gone");
        Shrink.Result result = new Shrink(oneByOne(_ -> {
            throw new IllegalStateException("the device is gone");
        })).from(failing);
        assertEquals("values program=0 launch=0", result.smallest().failed().line().toString());
        assertTrue(result.complete() && result.smallest().complaint().contains("the device is gone"), result::toString);
    }

    @Test
    void itEndsWhereItIsTold() {
        Shrink.Failure failing = new Shrink.Failure(first("values", _ -> true), "wrong");
        Shrink.Check wrong = oneByOne(_ -> Optional.of("wrong"));
        Shrink.Result none = new Shrink(wrong, 0, Duration.ofMinutes(1)).from(failing);
        assertEquals(failing, none.smallest());
        assertFalse(none.complete());
        Shrink.Result some = new Shrink(_ -> Optional.empty(), 3, Duration.ofMinutes(1)).from(failing);
        assertEquals(3, some.tried());
        assertFalse(some.complete());
        assertFalse(new Shrink(wrong, 9, Duration.ZERO).from(failing).complete());
    }

    /** The test is written, compiles, and its line passes where the case passes. */
    @Test
    void aFailureBecomesATest() throws IOException {
        for (String kind : List.of("copy", "instructions", "pipeline")) {
            VerifyCase failing = first(kind, _ -> true);
            Path file = new FailureTest(folder).write(new Shrink.Failure(failing,
                    "a \"byte\" */ <differs> \\u0041 @here"), failing.line());
            assertEquals(file, new FailureTest(folder).write(new Shrink.Failure(failing, "again"), failing.line()));
            new FailureTest(folder).write(new Shrink.Failure(failing,
                    "a \"byte\" */ <differs> \\u0041 @here"), failing.line());
            assertCompiles(file);
            assertTrue(Files.readString(Path.of(file.toString().replace(".java", ".cu"))).contains("__global__"));
            String text = Files.readString(file).replaceAll("\"\\s+\\+ \"", "");
            assertTrue(text.contains('"' + failing.line().toString() + '"'), text);
            VerifiedCase kept = VerifiedCase.of(failing.line().toString());
            try (Gpu good = Gpu.emulated()) {
                kept.assertMatches(good);
            }
        }
    }

    @Test
    void aPlaceThatCannotBeWrittenIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        VerifyCase failing = first("copy", _ -> true);
        assertThrows(BadRequestException.class, () -> new FailureTest(file)
                .write(new Shrink.Failure(failing, "wrong"), failing.line()));
    }

    private void assertCompiles(Path file) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringBuilder errors = new StringBuilder();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(null, files, d -> errors.append(d).append('\n'),
                    List.of("-d", folder.toString(), "-proc:none", "-Xlint:all", "-cp",
                    System.getProperty("java.class.path")), null, files.getJavaFileObjects(file)).call(),
                    errors::toString);
        }
    }
}

package dev.tilewright.tile.run;

import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.JavaLine;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Findings about a tile kernel's program name the kernel's lines, not those of what makes programs. */
class HazardLinesTest {
    private static final int ROWS = 16;
    private static final int COLUMNS = 64;

    private static JavaLine here() {
        StackTraceElement caller = new Throwable().getStackTrace()[1];
        return new JavaLine(caller.getFileName(), caller.getLineNumber());
    }

    /** Rows that are said to be apart, and of which tiles of several blocks share one. */
    @ParameterizedTest
    @CsvSource({"F32, sm_80, false", "F32, sm_90a, true", "BF16, sm_90a, false", "I32, sm_80, true"})
    void ofTwoScattersIntoOneRow(ValueType type, String target, boolean inLoop) {
        List<JavaLine> lines = new ArrayList<>();
        TileKernel kernel = TileKernel.of("scattering", k -> {
            Dim n = k.dim("n"), places = k.dim("places"), width = k.dim("width");
            Tensor index = k.in("index", I32, n), x = k.in("x", type, n, width), y = k.inOut("y", type, places, width);
            k.forEachTile(x, 8, 32, at -> {
                Runnable scatter = () -> {
                    lines.add(here());
                    y.scatter(Update.SET_APART, index.tile(at.row()), x.tile(at), at.column());
                };
                if (inLoop) {
                    k.loop(k.steps(Dim.of(1), 1), i -> scatter.run());
                } else {
                    scatter.run();
                }
            });
        });
        Launch launch = kernel.launch(Map.of("index", ArrayShape.dense(ROWS), "x", ArrayShape.dense(ROWS, COLUMNS), "y",
                ArrayShape.dense(4, COLUMNS)), Scalars.NONE, Target.parse(target), 4);
        List<Finding> findings = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new int[ROWS]),
                MemorySegment.ofArray(new byte[ROWS * COLUMNS * type.bytes()]), MemorySegment.ofArray(new byte[4
                * COLUMNS * type.bytes()]))).findings();
        assertTrue(!findings.isEmpty(), "rows of two blocks are stored into row 0");
        JavaLine line = new JavaLine(lines.getFirst().file(), lines.getFirst().line() + 1);
        for (Finding finding : findings) {
            assertEquals(line, finding.location().javaLine().orElseThrow(), finding::message);
            assertEquals(line, finding.before().orElseThrow().location().javaLine().orElseThrow(), finding::message);
            assertTrue(finding.message().contains(line.toString()), finding::message);
        }
    }

    @ParameterizedTest
    @CsvSource({"Blur.java:17, Blur.java, 17", "a:b:3, a:b, 3"})
    void aLineIsReadAsItIsShown(String text, String file, int line) {
        assertEquals(new JavaLine(file, line), JavaLine.parse(text).orElseThrow());
        assertEquals(text, JavaLine.parse(text).orElseThrow().toString());
        assertTrue(JavaLine.parse("an unknown line").isEmpty());
    }
}

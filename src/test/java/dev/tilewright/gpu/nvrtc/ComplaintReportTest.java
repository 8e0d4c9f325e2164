package dev.tilewright.gpu.nvrtc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Logs in, numbered source out. */
class ComplaintReportTest {

    private static String lines(String word, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> word + " " + i).collect(Collectors.joining("\n"));
    }

    private static String report(String log) {
        return new ComplaintReport("k.cu", lines("source", 12), lines("ptx", 40)).of(log);
    }

    @Test
    void complaintsOfTheFrontEndShowTheSource() {
        assertEquals("""
                k.cu(4): error: identifier "foo" is undefined
                       2 | source 2
                       3 | source 3
                  >    4 | source 4
                       5 | source 5
                       6 | source 6
                """, report("""
                k.cu(3): warning #177-D: variable "unused" was declared but never referenced
                k.cu(4): error: identifier "foo" is undefined
                    foo(p);
                    ^

                1 error detected in the compilation of "k.cu".
                """));
    }

    @Test
    void complaintsOfTheAssemblerShowThePtxOnceForEachLine() {
        assertEquals("""
                ptxas application ptx input, line 23; error   : Unknown modifier '.bogus'
                ptxas application ptx input, line 23; error   : Arguments mismatch for instruction 'cp.async.bulk'
                      21 | ptx 21
                      22 | ptx 22
                  >   23 | ptx 23
                      24 | ptx 24
                      25 | ptx 25
                """, report("""
                ptxas application ptx input, line 23; error   : Unknown modifier '.bogus'
                ptxas application ptx input, line 23; error   : Arguments mismatch for instruction 'cp.async.bulk'
                ptxas fatal   : Ptx assembly aborted due to errors
                """));
    }

    @Test
    void aLogThatIsNotUnderstoodIsGivenWhole() {
        assertEquals("nvrtc: error: unrecognized option --bogus found",
                report("nvrtc: error: unrecognized option --bogus found\n"));
        assertEquals("other.cu(3): error: not this source", report("other.cu(3): error: not this source"));
    }

    @Test
    void manyComplaintsAreCut() {
        String log = IntStream.rangeClosed(1, 12).mapToObj(i -> "k.cu(" + i + "): error: wrong")
                .collect(Collectors.joining("\n"));
        String report = report(log);
        assertTrue(report.contains("k.cu(10): error: wrong"));
        assertFalse(report.contains("k.cu(11): error: wrong"));
        assertTrue(report.endsWith("... and complaints about 2 more lines"));
    }

    @Property
    void aLineNumberBeyondTheSourceShowsWhatThereIs(@ForAll @IntRange int line) {
        String report = report("k.cu(" + Math.max(0, line) + "): error: wrong");
        assertTrue(report.contains("): error: wrong"));
        assertTrue(report.lines().count() <= 6);
    }
}

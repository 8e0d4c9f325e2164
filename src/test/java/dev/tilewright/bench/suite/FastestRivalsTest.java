package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

/** Whom rows of ours stand beside: C++ kernels of the same mechanism. */
class FastestRivalsTest {

    private static Row row(String side, double figure, double memcpy) {
        return Row.of("reduce", "accumulate", side, Unit.GIGABYTES_PER_SECOND, Spread.of(figure), Verdict.VERIFIED)
                .beside("cuMemcpy", memcpy, null);
    }

    private static Row rival(String mechanism, double figure, double memcpy) {
        return row("C++", figure, memcpy).with("mechanism", mechanism);
    }

    private static Optional<Double> of(Row row, String other) {
        return row.ratioTo(other);
    }

    @Property(tries = 200)
    void aRatioIsOfTwoRatiosToCuMemcpy(@ForAll @DoubleRange(min = 100, max = 9000) double ours,
            @ForAll @DoubleRange(min = 100, max = 9000) double theirs,
            @ForAll @DoubleRange(min = 100, max = 9000) double here,
            @ForAll @DoubleRange(min = 100, max = 9000) double there) {
        Row row = FastestRivals.beside(row(Row.OURS, ours, here), List.of(rival("red", theirs, there)), Set.of("red"),
                0.99);
        assertEquals(ours / here / (theirs / there), of(row, "C++").orElseThrow(), 1e-9);
        assertEquals(List.of("cuMemcpy", "C++"), row.ratios().stream().map(Ratio::of).toList());
        assertEquals(0.99, row.ratios().getLast().demanded());
    }

    @Test
    void theFastestOfTheSameMechanismIsTheRivalAndOneOfAnotherHasANameOfItsOwn() {
        List<Row> rivals = List.of(rival("vector", 4400, 4000), rival("red", 3600, 4000), rival("red", 3700, 4000),
                Row.notRun("reduce", "accumulate", "C++", Unit.GIGABYTES_PER_SECOND, "wrong").with("mechanism", "red"));
        Row red = FastestRivals.beside(row(Row.OURS, 3700, 4000), rivals, Set.of("red"), null);
        assertEquals(1, of(red, "C++").orElseThrow(), 1e-12);
        assertEquals(3700.0 / 4400, of(red, "C++ of any mechanism").orElseThrow(), 1e-12);
        Row vector = FastestRivals.beside(row(Row.OURS, 4400, 4000), rivals, Set.of("vector"), null);
        assertEquals(1, of(vector, "C++").orElseThrow(), 1e-12);
        assertTrue(of(vector, "C++ of any mechanism").isEmpty(), "it is the same");
        Row other = FastestRivals.beside(row(Row.OURS, 4400, 4000), rivals, Set.of(), 0.99);
        assertTrue(of(other, "C++").isEmpty(), other.ratios().toString());
        assertEquals(1, of(other, "C++ of any mechanism").orElseThrow(), 1e-12);
        assertTrue(other.isReached());
    }

    @Test
    void othersHaveNoMechanism() {
        Row row = FastestRivals.beside(row(Row.OURS, 3000, 4000),
                List.of(row("PyTorch", 2000, 4000), row("PyTorch", 1000, 4000)), Set.of(), null);
        assertEquals(1.5, of(row, "PyTorch").orElseThrow(), 1e-12);
        assertEquals(2, row.ratios().size());
    }

    /** What tells one form of ours from another, and the mechanisms of its rivals. */
    private static List<String> mechanisms(List<Work> works, String... telling) {
        return works.stream().map(work -> Stream.of(telling).map(name -> work.parameters().get(name).toString())
                .collect(Collectors.joining(" ")) + ": " + String.join(", ", work.mechanisms())).distinct().toList();
    }

    @Test
    void everyFormOfASuiteNamesItsOwnMechanism() {
        assertEquals(List.of("loads and stores: accumulate-vector", "red: accumulate-red", "bulk: accumulate-bulk"),
                mechanisms(ReduceSuite.accumulations(1 << 20), "way"));
        assertEquals(List.of("threads: read-vector", "bulk ring: read-bulk"),
                mechanisms(ReduceSuite.sums(1 << 20, false), "loads"));
        assertEquals(List.of("registers: broadcast-vector", "own loads: ", "multicast: "),
                mechanisms(MulticastSuite.copying(1 << 20, 2), "loads"));
        assertEquals(List.of("own loads: shared-read", "multicast: shared-read-multicast"),
                mechanisms(MulticastSuite.reading(1 << 20, 4), "loads"));
        assertEquals(List.of("swizzled by TMA: ", "plain by threads: transpose", "padded by threads: transpose-padded",
                "swizzled by threads: transpose-swizzled", "xored by threads: transpose-xored"),
                mechanisms(SwizzleSuite.transposes(1 << 20, 512, 512), "layout"));
    }

    @Test
    void everyMechanismThatIsNamedIsOneOfTheRivals() throws IOException {
        Path folder = Path.of(System.getProperty("tilewright.root", "."), "native-tests", "rivals");
        String catalogue = Files.readString(folder.resolve("catalogue.cpp"));
        String variants = Files.readString(folder.resolve("variants.hpp"));
        List<Work> all = new ArrayList<>(ReduceSuite.accumulations(1 << 20));
        all.addAll(ReduceSuite.sums(1 << 20, false));
        all.addAll(MulticastSuite.copying(1 << 20, 2));
        all.addAll(MulticastSuite.reading(1 << 20, 4));
        all.addAll(SwizzleSuite.transposes(1 << 20, 512, 512));
        Set<String> named = all.stream().flatMap(work -> work.mechanisms().stream()).collect(Collectors.toSet());
        assertEquals(12, named.size(), named.toString());
        for (String one : named) {
            // Of "accumulate-" #WAY, the way is a word of the list of variants.
            String way = one.replaceFirst("^accumulate-", "");
            assertTrue(catalogue.contains('"' + one + '"') || !way.equals(one) && variants.contains(", " + way + ","),
                    one);
        }
    }
}

package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryTries;
import dev.tilewright.Thorough;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.draw.Kinds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All kinds of cases: a group's number and the seed decide it, and a line makes a case again. */
class CaseKindsTest {
    private static final CaseKinds KINDS = Kinds.of(Presets.CATALOG, Presets.ALL);

    @Property(tries = 15, shrinking = ShrinkingMode.OFF)
    @OrdinaryTries(4)
    void aLineMakesItsCaseAgain(@ForAll long seed, @ForAll int number) {
        List<? extends VerifyCase> drawn = KINDS.group(seed, Math.abs((long) number));
        assertEquals(CaseKinds.GROUP, drawn.size());
        for (VerifyCase one : drawn) {
            assertEquals(one, KINDS.parse(one.line().toString()));
            assertTrue(one.sharesKernelWith(drawn.getFirst()), one::toString);
            assertEquals(drawn.getFirst().work().launch().program(), one.work().launch().program(), one::toString);
        }
        assertEquals(drawn, KINDS.group(seed, Math.abs((long) number)));
    }

    @Provide
    Arbitrary<Schedule> schedules() {
        Arbitrary<String> words = Arbitraries.strings().withCharRange('a', 'z').numeric().withChars("-_:.")
                .ofMinLength(1).ofMaxLength(8);
        Arbitrary<Optional<GridPolicy>> grids = Arbitraries.integers().between(1, 999_999_999)
                .flatMap(n -> Arbitraries.of(GridPolicy.tilesEach(n), GridPolicy.over(n), GridPolicy.waves(n, n)))
                .optional();
        return Combinators.combine(Arbitraries.maps(words, words).ofMaxSize(4), grids).as(Schedule::new);
    }

    @Property(tries = 100)
    void aLineMakesItsScheduleAgain(@ForAll("schedules") Schedule schedule) {
        CaseLine line = new CaseLine("copy").with(schedule).with("seed", 1);
        CaseFields fields = CaseLine.parse(line.toString()).read();
        assertEquals(schedule, fields.schedule());
        assertEquals(1, fields.number("seed"));
        fields.end();
    }

    /** Numbers of a line replaced by absurd ones: a case that a host can run, or a sentence. */
    @Property(tries = 100, shrinking = ShrinkingMode.OFF)
    @OrdinaryTries(6)
    void absurdNumbersAreRefusedInWords(@ForAll Random random) {
        String line = KINDS.group(random.nextLong(), random.nextInt(1 << 20)).getFirst().line().toString();
        List<MatchResult> numbers = Pattern.compile("(?<=[=x])[0-9]+\\b").matcher(line).results().toList();
        if (numbers.isEmpty()) {
            return;
        }
        MatchResult one = numbers.get(random.nextInt(numbers.size()));
        String huge = Long.toString(1L << random.nextInt(63)) + "0".repeat(random.nextInt(2));
        String changed = line.substring(0, one.start()) + huge + line.substring(one.end());
        try {
            VerifyCase parsed = KINDS.parse(changed);
            assertTrue(parsed.work().buffers().stream().mapToLong(CaseBuffer::bytes).sum() <= CaseKinds.MOST_BYTES,
                    changed);
        } catch (BadRequestException e) {
            assertEquals(1, e.getMessage().lines().count(), e::getMessage);
        }
    }

    /** Without going through all places that such a launch would store to. */
    @Test
    void presetsOfAbsurdExtentsAreRefused() {
        for (TilePreset preset : TilePresets.ALL.stream().filter(Thorough.share(3)).toList()) {
            ValueType type = preset.types().getFirst();
            Map<String, Long> extents = preset.kernel(type).dims().stream().collect(Collectors.toMap(Dim::name,
                    _ -> 1L << 34));
            TileCase one = new TileCase(preset, type, Target.SM_90A, Schedule.DEFAULT, extents, 132, 1);
            assertThrows(BadRequestException.class, () -> KINDS.parse(one.line().toString()), preset::name);
            one.kernel().batch().dim().filter(_ -> extents.size() > 1).ifPresent(dim -> {
                Map<String, Long> few = new TreeMap<>(extents);
                few.put(dim.name(), 4L);
                String line = new CompanyCase(new TileCase(preset, type, Target.SM_90A, Schedule.DEFAULT, few, 132, 1),
                        Company.ALONE, 2).line().toString();
                assertThrows(BadRequestException.class, () -> KINDS.parse(line), preset::name);
            });
        }
    }

    @Test
    void groupsDiffer() {
        int count = Thorough.of(15, 50);
        assertEquals(count, LongStream.range(0, count).mapToObj(n -> KINDS.group(1, n)).distinct().count());
        assertNotEquals(KINDS.group(1, 0), KINDS.group(2, 0));
        assertNotEquals(KINDS.group(1, 1), KINDS.group(2, 0));
    }

    @Test
    void whatGoesWrongOnPurposeIsNotDrawn() {
        assertTrue(LongStream.range(0, 100).filter(n -> Thorough.takes(n, 8))
                .mapToObj(n -> KINDS.group(5, n).getFirst())
                .noneMatch(PlantedCase.class::isInstance));
        assertEquals(new PlantedCase(PlantedCase.What.HANG), KINDS.parse("planted what=hang"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nothing a=1 | 'nothing a=1' is no case: there is no kind 'nothing', there are copy,
            Copy | 'Copy' is no case: a case is a kind and fields,
            copy x | and 'x' has no '='
            copy a=1 a=2 | has two fields 'a'
            copy preset=bulk-copy | has no field 'type'
            copy preset=bulk type=f32 shape=3 tiles=1 scalar=0 seed=1 | cannot have preset=bulk: there is no preset \
            'bulk'
            copy preset=bulk-copy type=f99 shape=3 tiles=1 scalar=0 seed=1 | cannot have type=f99: it is one of u8, i8
            copy preset=bulk-copy type=f32 shape=3xx tiles=1 scalar=0 seed=1 | cannot have shape=3xx: '' is no whole \
            number
            copy preset=bulk-copy type=f32 shape=-3 tiles=1 scalar=0 seed=1 | an extent must be at least 0, got -3
            copy preset=bulk-copy type=f32 shape=3 tiles=0 scalar=0 seed=1 | cannot have tiles=0: it must be from 1 to
            copy preset=bulk-copy type=f32 shape=3 tiles=1 scalar=0xg seed=1 | cannot have scalar=0xg: '0xg' is no \
            whole number
            copy preset=bulk-copy type=f32 shape=3 tiles=1 scalar=0 seed=1 more=2 | has a field 'more', which cases of \
            the kind 'copy' do not have
            copy preset=bulk-copy type=f32 shape=3 tiles=1 scalar=0 seed=1 schedule=stages=0 | stages
            copy preset=bulk-copy type=f32 shape=3 tiles=1 scalar=0 seed=1 schedule=stages | cannot have \
            schedule=stages: options are such as
            copy preset=bulk-copy type=f32 shape=3 tiles=1 scalar=0 seed=1 schedule=none,+2+tiles+a+block | the grid \
            of a copy is its tiles, got '2 tiles a block'
            copy preset=vector-copy type=f32 shape=1000000x1000000 tiles=1 scalar=0 seed=1 | has buffers of \
            8000000000000 bytes, and a case has at most 268435456
            planted what=x | cannot have what=x: it is one of hang, fault
            """)
    void aLineThatIsNoCaseIsRefused(String line, String why) {
        String message = assertThrows(BadRequestException.class, () -> KINDS.parse(line)).getMessage();
        assertTrue(message.contains(why) && message.lines().count() == 1, message);
    }
}

package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Places of a batch in other company. */
class CompanyCaseTest {
    @Test
    void noPresetsPlacesDependOnTheirCompany() {
        CompanyKind kind = new CompanyKind(TilePresets.ALL);
        for (int i = 0; i < 800; i++) {
            if (!Thorough.takes(i, 400)) {
                continue;
            }
            CompanyCase one = kind.draw(new SplittableRandom(i), 1).getFirst();
            assertEquals(one, kind.parse(one.line()));
            assertEquals(Optional.empty(), CaseCheck.run(CaseDevice.reference(ReferenceOptions.DEFAULT), one),
                    one::toString);
        }
    }

    /** What a place alone has is held against what it has among all: one bit that is another shows. */
    @ParameterizedTest
    @EnumSource
    void anotherBitIsFound(Company company) {
        CompanyCase one = new CompanyKind(List.of()).parse(CaseLine.parse("company company=" + company
                + " places=3 preset=softmax type=f32 target=sm_90a extent.columns=5 extent.rows=8 multiprocessors=1"
                + " seed=4"));
        assertEquals(Optional.empty(), CaseCheck.run(CaseDevice.reference(ReferenceOptions.DEFAULT), one));
        String found = CaseCheck.run(new DamagingDevice((_, after) -> after.set(ValueLayout.JAVA_BYTE, 40,
                (byte) (after.get(ValueLayout.JAVA_BYTE, 40) ^ 1))), one).orElse("");
        assertTrue(found.contains("1 byte differs, at byte 40, in element [2, 0]"), found);
    }

    @ParameterizedTest
    @EnumSource
    void placesComeAgain(Company company) {
        int[] places = company.places(9, company == Company.AMONG_OTHERS ? 20 : 9, new Random(1));
        int[] sorted = Arrays.stream(places).filter(i -> i >= 0).sorted().distinct().toArray();
        if (company == Company.AMONG_OTHERS) {
            assertEquals(10, Arrays.stream(places).filter(i -> i < 0).count());
        } else {
            assertTrue(Arrays.equals(IntStream.range(0, 9).toArray(), sorted), Arrays.toString(places));
        }
    }

    @Test
    void whatHasNoBatchIsRefused() {
        TilePreset blur = TilePresets.find("blur").orElseThrow();
        TileCase all = new TileCase(blur, ValueType.U8, Target.SM_90A, Schedule.DEFAULT,
                Map.of("rows", 4L, "columns", 4L), 1, 0);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new CompanyCase(all, Company.ALONE, 1))
                .getMessage().startsWith("preset 'blur' has batch: no dimension whose places are apart"));
        String line = "company company=alone places=9 preset=softmax type=f32 target=sm_90a extent.columns=4 "
                + "extent.rows=8 multiprocessors=1 seed=1";
        assertEquals("the case '" + line + "' cannot be: 9 places along 'rows' do not come again of 8, alone",
                assertThrows(BadRequestException.class, () -> new CompanyKind(List.of()).parse(CaseLine.parse(line)))
                        .getMessage());
    }
}

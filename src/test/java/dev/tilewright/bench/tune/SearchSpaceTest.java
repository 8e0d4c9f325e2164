package dev.tilewright.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a search goes through, of every preset. */
class SearchSpaceTest {
    private static final int MOST = 2000;

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    private static int rank(Preset preset) {
        return preset.build(ElementType.F32).tile().size();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void firstComesThePresetAsItStands(Preset preset) {
        Candidate first = SearchSpace.of(preset, ElementType.F32, rank(preset), 1).getFirst();
        assertEquals(Candidate.Grid.OWN, first.grid());
        assertEquals(preset.build(ElementType.F32, rank(preset), Schedule.DEFAULT).program(),
                preset.build(ElementType.F32, rank(preset), first.options()).program());
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("presets")
    void manyCandidatesAreKernelsOfTheSamePurpose(Preset preset) {
        int rank = rank(preset);
        List<Candidate> all = SearchSpace.of(preset, ElementType.F16, rank, 1);
        ElementwiseKernel standing = preset.build(ElementType.F16, rank, all.getFirst().options());
        int kernels = 0;
        for (Schedule options : new HashSet<>(all.stream().map(Candidate::options).toList())) {
            try {
                ElementwiseKernel kernel = preset.build(ElementType.F16, rank, options);
                assertEquals(standing.step(), kernel.step());
                assertEquals(standing.tile().size(), kernel.tile().size());
                kernels++;
            } catch (BadRequestException e) {
                // Such as more stages than fit.
            }
        }
        assertTrue(kernels >= 4, kernels + " kernels");
        assertTrue(all.size() <= MOST, all.size() + " candidates");
        assertEquals(all.size(), new HashSet<>(all).size());
    }

    @ParameterizedTest
    @MethodSource("presets")
    void aSeedDecidesTheOrder(Preset preset) {
        List<Candidate> one = SearchSpace.of(preset, ElementType.F32, rank(preset), 1);
        List<Candidate> other = SearchSpace.of(preset, ElementType.F32, rank(preset), 2);
        assertEquals(one, SearchSpace.of(preset, ElementType.F32, rank(preset), 1));
        assertNotEquals(one, other);
        assertEquals(one.getFirst(), other.getFirst());
        assertEquals(new HashSet<>(one), new HashSet<>(other));
    }

    @ParameterizedTest
    @MethodSource("presets")
    void whatAPresetChoosesBesideSizesStays(Preset preset) {
        for (Candidate candidate : SearchSpace.of(preset, ElementType.F32, rank(preset), 1)) {
            for (String fixed : List.of("step", "swizzle", "unswizzle")) {
                assertTrue(!candidate.options().has(fixed), candidate::toString);
            }
        }
    }
}

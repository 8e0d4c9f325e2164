package dev.tilewright.verify.draw;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.verify.draw.PipelineKernels.Apart;
import dev.tilewright.verify.draw.PipelineKernels.Both;
import dev.tilewright.verify.draw.PipelineKernels.Groups;
import dev.tilewright.verify.draw.PipelineKernels.PingPong;
import dev.tilewright.verify.draw.PipelineKernels.RowsAndColumns;
import dev.tilewright.verify.draw.PipelineKernels.Source;
import dev.tilewright.verify.draw.PipelineKernels.Style;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * Pipelines as objects: rings that are filled and released in every way, by threads apart or the same, also in
 * clusters.
 */
final class PipelineGenerator {
    private static final List<Source> ON_AMPERE = List.of(Source.CP_ASYNC, Source.STORES, Source.CP_ASYNC_AND_STORES);

    private PipelineGenerator() { }

    static Drawn make(DrawnChoices choices) {
        PipelineCase made;
        try {
            made = switch (choices.below(6)) {
                case 0 -> both(choices);
                case 1 -> groups(choices);
                case 2 -> new PingPong(choices.between(2, 4), choices.between(1, 5)).build();
                case 3 -> rowsAndColumns(choices);
                default -> apart(choices).build();
            };
        } catch (IllegalArgumentException e) {
            throw new Redraw(e.getMessage());
        }
        return new Drawn(made.toString(), made.program(), launch -> run(made, launch.seed()));
    }

    private static Apart apart(DrawnChoices choices) {
        Style style = choices.of(Style.values());
        boolean belowSm90 = choices.oneIn(5);
        Source source = belowSm90 ? choices.one(ON_AMPERE) : choices.of(Source.values());
        int stages = choices.between(style == Style.ONE_BEHIND ? 2 : 1, 5);
        int turns = choices.between(1, 11);
        int loaders = choices.between(1, 2);
        int readers = choices.between(1, 3);
        Arrivals arrivals = choices.of(Arrivals.values());
        int cluster = source == Source.BULK ? 1 << choices.below(3) : 1;
        boolean byBulk = !belowSm90 && choices.oneIn(3) && source != Source.CP_ASYNC
                && source != Source.CP_ASYNC_AND_STORES;
        return new Apart(stages, turns, source, ThreadRange.warps(0, loaders), ThreadRange.warps(loaders, readers),
                arrivals, style, cluster, true, byBulk, belowSm90);
    }

    private static PipelineCase both(DrawnChoices choices) {
        int stages = choices.between(1, 5);
        return new Both(stages, choices.between(1, stages), choices.between(1, 11), 32 * choices.between(1, 3),
                choices.flag(), choices.flag()).build();
    }

    private static PipelineCase groups(DrawnChoices choices) {
        int stages = choices.between(2, 5);
        GroupRing.Readers readers = choices.of(GroupRing.Readers.values());
        return new Groups(stages, choices.between(1, stages), choices.between(1, 11),
                readers == GroupRing.Readers.WARP ? 32 : 16 * choices.between(1, 5), readers).build();
    }

    private static PipelineCase rowsAndColumns(DrawnChoices choices) {
        int x = 1 << choices.below(3);
        int y = x == 1 ? 2 : 1 << choices.below(x == 4 ? 2 : 3);
        return new RowsAndColumns(x, y, choices.between(1, 3), choices.between(1, 6), choices.between(1, 2),
                choices.of(Arrivals.values()), choices.below(2) == 1).build();
    }

    private static DrawnRun run(PipelineCase made, long seed) {
        byte[] source = DrawnBytes.words(seed, 4 * PipelineCase.SOURCE_WORDS);
        MemorySegment from = MemorySegment.ofArray(source);
        byte[] result = DrawnBytes.poison(4 * made.words());
        byte[] expected = result.clone();
        for (int i = 0; i < made.words(); i++) {
            MemorySegment.ofArray(expected).set(ValueLayout.JAVA_INT_UNALIGNED, 4L * i,
                    from.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * made.from().applyAsInt(i)));
        }
        return new DrawnRun(made.launch(), List.of(source, result), Map.of(1, expected));
    }
}

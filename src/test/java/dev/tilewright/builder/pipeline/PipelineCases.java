package dev.tilewright.builder.pipeline;

import dev.tilewright.verify.draw.PipelineCase;
import dev.tilewright.verify.draw.PipelineKernels.Apart;
import dev.tilewright.verify.draw.PipelineKernels.Both;
import dev.tilewright.verify.draw.PipelineKernels.Groups;
import dev.tilewright.verify.draw.PipelineKernels.PingPong;
import dev.tilewright.verify.draw.PipelineKernels.RowsAndColumns;
import dev.tilewright.verify.draw.PipelineKernels.Source;
import dev.tilewright.verify.draw.PipelineKernels.Style;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A pipeline of each kind: for tests that cannot have as many as random ones are. */
public final class PipelineCases {

    private PipelineCases() {
    }

    public static Stream<PipelineCase> all() {
        List<PipelineCase> cases = new ArrayList<>();
        ThreadRange loader = ThreadRange.warp(0);
        ThreadRange readers = ThreadRange.warps(1, 4);
        for (Style style : Style.values()) {
            for (Source source : Source.values()) {
                for (Arrivals arrivals : Arrivals.values()) {
                    cases.add(new Apart(3, 11, source, loader, readers, arrivals, style, 1, true, false).build());
                }
            }
            cases.add(new Apart(4, 13, Source.BULK, loader, readers, Arrivals.EACH_WARP,
                    style, 2, true, false).build());
            cases.add(new Apart(2, 9, Source.BULK, loader, readers, Arrivals.EACH_THREAD,
                    style, 4, true, false).build());
            cases.add(new Apart(3, 9, Source.BULK, loader, readers, Arrivals.EACH_WARP,
                    style, 2, false, false).build());
        }
        cases.add(new Apart(3, 8, Source.STORES, ThreadRange.warps(0, 2), ThreadRange.warps(2, 1),
                Arrivals.EACH_THREAD, Style.TURNS, 1, true, true).build());
        for (Source source : List.of(Source.CP_ASYNC, Source.STORES, Source.CP_ASYNC_AND_STORES)) {
            cases.add(onAmpere(source, Style.TURNS));
        }
        for (int ahead = 1; ahead <= 3; ahead++) {
            cases.add(new Both(3, ahead, 10, 96, false, true).build());
            cases.add(new Both(3, ahead, 10, 96, true, false).build());
        }
        for (GroupRing.Readers who : GroupRing.Readers.values()) {
            cases.add(new Groups(4, 3, 11, 32, who).build());
            cases.add(new Groups(3, 3, 11, 32, who).build());
        }
        cases.add(new RowsAndColumns(2, 1, 3, 9, 2, Arrivals.EACH_WARP, false).build());
        cases.add(new RowsAndColumns(2, 2, 3, 9, 2, Arrivals.EACH_WARP, false).build());
        cases.add(new RowsAndColumns(2, 2, 2, 7, 1, Arrivals.EACH_THREAD, false).build());
        cases.add(new RowsAndColumns(4, 2, 2, 7, 1, Arrivals.EACH_WARP, false).build());
        cases.add(new RowsAndColumns(2, 1, 3, 9, 2, Arrivals.EACH_WARP, true).build());
        cases.add(new RowsAndColumns(2, 2, 2, 7, 1, Arrivals.EACH_THREAD, true).build());
        cases.add(new PingPong(2, 6).build());
        cases.add(new PingPong(3, 5).build());
        return cases.stream();
    }

    /** A pipeline for GPUs without a copy engine. */
    static PipelineCase onAmpere(Source source, Style style) {
        return new Apart(3, 10, source, ThreadRange.warp(0), ThreadRange.warps(1, 2), Arrivals.EACH_THREAD, style, 1,
                true, false, true).build();
    }

    /** Words that are all different. */
    public static MemorySegment source() {
        MemorySegment source = MemorySegment.ofArray(new long[PipelineCase.SOURCE_WORDS / 2]);
        for (int i = 0; i < PipelineCase.SOURCE_WORDS; i++) {
            source.setAtIndex(ValueLayout.JAVA_INT, i, i * 0x9E3779B1);
        }
        return source;
    }

    /** Room for a result. */
    public static MemorySegment result(PipelineCase one) {
        return MemorySegment.ofArray(new long[Math.ceilDiv(one.words(), 2)]);
    }

    /** The first word of a result that is not what it shall be; -1 if there is none. */
    public static int firstWrong(PipelineCase one, MemorySegment source, MemorySegment result) {
        for (int i = 0; i < one.words(); i++) {
            if (result.getAtIndex(ValueLayout.JAVA_INT, i)
                    != source.getAtIndex(ValueLayout.JAVA_INT, one.from().applyAsInt(i))) {
                return i;
            }
        }
        return -1;
    }
}

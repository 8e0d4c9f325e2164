package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.Body;
import dev.tilewright.program.CpAsyncStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.copy.CpAsync.PrefetchSize;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * {@code cp-async}: a copy of 4, 8 or 16 bytes by each of 64 threads, through L1 or past it, with prefetches, of all
 * bytes, of as many as each thread's word says (the rest becomes zeros), or of none where the word's bit says so.
 */
final class CpAsyncCopies implements RecordedMechanism {
    private static final int THREADS = 64;
    private static final int BYTES = 16 * THREADS;
    private static final int CHOICES = 2048;
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", BYTES, 128);

    /** What becomes of the source. */
    private enum Source { ALL, SOME, IGNORED }

    private record Key(int bytes, boolean throughL1, PrefetchSize prefetch, Source source) { }

    private final ProgramCache<Key> programs = new ProgramCache<>(CpAsyncCopies::program);

    @Override
    public String kind() {
        return "cp-async";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        int bytes = 4 << index % 3;
        row.put("bytesEach", bytes).put("throughL1", bytes < 16 || random.nextBoolean() ? 1 : 0)
                .put("prefetch", random.nextInt(PrefetchSize.values().length))
                .put("source", Source.values()[random.nextInt(Source.values().length)].name()
                .toLowerCase(Locale.ROOT))
                .put("seed", random.nextInt(1 << 20));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        Key key = new Key(row.number("bytesEach", 4, 16), row.flag("throughL1"),
                row.numbered("prefetch", PrefetchSize.class), row.constant("source", Source.class));
        return Experiment.of(programs.of(key), 1,
                Experiment.Content.of(Data.bytes(row.integer("seed"), CHOICES + 4 * THREADS)),
                Experiment.Content.fresh(BYTES));
    }

    private static TileProgram program(Key key) {
        return new TileProgram("record_cp_async", "copies by each thread", THREADS,
                List.of(Steps.IN, Steps.OUT), new SharedLayout(List.of(TILE)), Body.steps(body -> {
                    Steps.poison(body, TILE, Expr.of(BYTES), THREADS);
                    Expr word = body.load("word", ValueType.I32, Steps.in(Steps.THREAD.times(4).plus(CHOICES)))
                            .toIndex();
                    body.purpose("poisoned").syncThreads();
                    // Threads read from places of their own, in another order than they write to.
                    Expr from = Steps.THREAD.times(13).plus(5).modulo(THREADS).times(16);
                    CpAsyncStep copy = body.purpose("copy").cpAsync(TILE.at(Steps.THREAD.times(key.bytes())),
                            Steps.in(from), key.bytes());
                    if (key.throughL1() && key.bytes() == 16) {
                        copy = copy.throughL1();
                    }
                    if (key.prefetch() != PrefetchSize.NONE) {
                        copy = copy.prefetchL2(key.prefetch());
                    }
                    switch (key.source()) {
                        case ALL -> { }
                        case SOME -> copy.sourceBytes(word.bitAnd(0xFFFF).modulo(key.bytes() + 1));
                        case IGNORED -> copy.ignoreSource(word.bitAnd(1));
                    }
                    body.purpose("one group").cpAsyncCommit();
                    body.purpose("it has landed").cpAsyncWait(0);
                    body.purpose("all have").syncThreads();
                    Steps.show(body, TILE, Expr.of(BYTES), Expr.of(0), THREADS);
                }));
    }
}

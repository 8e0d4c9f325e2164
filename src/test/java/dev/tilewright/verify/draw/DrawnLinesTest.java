package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.JavaLine;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Steps have the lines of those who write kernels, whatever of the library and of the JDK lies between. */
class DrawnLinesTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src", "main", "java",
            "dev", "tilewright");
    private static final int DRAWN = Integer.getInteger("tilewright.lines", 40);

    private static Set<String> files(String... folders) throws IOException {
        Set<String> names = new HashSet<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.walk(SOURCES.resolve(folder))) {
                files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".java")).forEach(names::add);
            }
        }
        return names;
    }

    @Test
    void ofDrawnKernelsAreThoseOfTheGenerators() throws IOException {
        Set<String> writers = files("verify/draw");
        int steps = 0;
        for (DrawnKind kind : Kinds.DRAWN) {
            for (int i = 0; i < DRAWN; i++) {
                TileProgram program;
                try {
                    program = kind.generator().make(DrawnChoices.startingWith(kind.generator().first(17, i), i))
                            .program();
                } catch (Redraw e) {
                    continue;
                }
                for (Step step : new StepNumbers(program).all()) {
                    JavaLine line = step.javaLine().orElseThrow();
                    assertTrue(writers.contains(line.file()), () -> kind.name() + ": " + line + ", " + step);
                    steps++;
                }
            }
        }
        assertTrue(steps > 1000, "steps: " + steps);
    }

    @Test
    void ofAUsersKernelAreTheUsersThroughRingsCollectivesAndTheJdk() {
        ThreadRange loader = ThreadRange.warp(0);
        ThreadRange readers = ThreadRange.warps(1, 1);
        BarrierRing ring = BarrierRing.stages(2).buffer(StageBuffer.of("tiles", 128)).consumers(readers).build();
        BlockReduction sum = new BlockReduction("sum", ValueType.U32, 64);
        List<SharedRegion> shared = new ArrayList<>(ring.regions());
        shared.add(sum.scratch());
        Function<Expr, Address.Global> from = at -> new Address.Global(PipelineCase.SOURCE, at);
        TileProgram program = new TileProgram("mine", "a user's", 64, PipelineCase.parameters(),
                new SharedLayout(shared), Body.steps(body -> {
                    BarrierPipeline pipe = ring.open(body);
                    loader.one(body, one -> pipe.produce(one, 3, (b, turn, stage) ->
                            b.bulkLoad(stage.start(), from.apply(turn.times(128)), 128, stage.full())));
                    readers.only(body, all -> pipe.overlap(3));
                    readers.only(body, all -> pipe.consume(all, 3, (b, turn, stage) ->
                            b.store(new Address.Global(PipelineCase.RESULT, Builtin.THREAD.times(4)),
                                    b.load("word", ElementType.U32, 1, stage.at(readers.number().times(4))))));
                    Value total = sum.reduce(body, body.load("own", ValueType.U32, from.apply(Builtin.THREAD.times(4))),
                            Value::plus);
                    List.of(total, total).forEach(v -> body.store(
                            new Address.Global(PipelineCase.RESULT, Builtin.THREAD.times(4)), v));
                    List.<Runnable>of(body::syncThreads, body::syncThreads).forEach(Runnable::run);
                    body.warp().sync();
                }));
        assertEquals(Set.of("DrawnLinesTest.java"), new StepNumbers(program).all().stream()
                .map(step -> step.javaLine().orElseThrow().file()).collect(Collectors.toSet()));
    }
}

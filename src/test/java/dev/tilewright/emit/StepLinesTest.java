package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A step's number leads to its line in the source. */
class StepLinesTest {

    static List<Preset> presets() {
        return Presets.ALL;
    }

    @ParameterizedTest
    @MethodSource("presets")
    void everyStepStandsUnderItsPurpose(Preset preset) {
        TileProgram program = preset.build(ElementType.F16).program();
        StepNumbers steps = new StepNumbers(program);
        for (EmitOptions options : List.of(EmitOptions.DEFAULT, EmitOptions.BOUNDED)) {
            CudaSource source = CudaEmitter.emit(program, options);
            List<String> lines = source.text().lines().toList();
            assertEquals(steps.count(), source.stepLines().size());
            Map<Object, Integer> before = new HashMap<>();
            for (int number = 1; number <= steps.count(); number++) {
                int line = source.lineOf(number);
                Integer last = before.put(function(program, steps, number), line);
                assertTrue(last == null || line > last, "lines rise with numbers");
                String statement = lines.get(line - 1);
                String indent = statement.substring(0, statement.length() - statement.stripLeading().length());
                assertFalse(statement.isBlank() || statement.strip().startsWith("//"), statement);
                String above = lines.get(line - 2);
                steps.step(number).comment().ifPresentOrElse(
                        comment -> assertEquals(LineBreaks.of("// " + comment, indent).getLast(), above),
                        () -> assertFalse(above.strip().startsWith("//"), above));
            }
        }
    }

    /** The procedure that a step is written in, or the program. */
    private static Object function(TileProgram program, StepNumbers steps, int number) {
        return program.procedures().stream().filter(p -> steps.firstOf(p) <= number && number < steps.endOf(p))
                .max(Comparator.comparing(steps::firstOf)).<Object>map(p -> p).orElse(program);
    }

    @Test
    void whatIsWithinComesRightAfterAndOtherwiseLast() {
        TileProgram program = new TileProgram("numbered", "one", 32, List.of(), new SharedLayout(List.of()),
                Body.steps(body -> {
            body.purpose("1").when(Builtin.THREAD.isEqualTo(0), yes -> {
                yes.purpose("2")
                        .loop("i", 0, 2, 1, (each, _) -> each.purpose("3").cpAsyncCommit());
                yes.purpose("4").cpAsyncCommit();
            }, no -> no.purpose("5").cpAsyncCommit());
            body.purpose("6").syncThreads();
        }));
        StepNumbers steps = new StepNumbers(program);
        assertEquals(List.of("1", "2", "3", "4", "5", "6"), IntStream.rangeClosed(1, steps.count())
                .mapToObj(steps::step).map(Step::purpose).toList());
        CudaSource source = CudaEmitter.emit(program);
        List<String> lines = source.text().lines().map(String::strip).toList();
        assertEquals("ptx::cp_async_commit_group();", lines.get(source.lineOf(3) - 1));
        assertEquals("__syncthreads();", lines.get(source.lineOf(6) - 1));
    }

    @Test
    void numbersThatNoStepHasAreRefused() {
        TileProgram program = Presets.named("bulk-copy").build(ElementType.F32).program();
        int steps = new StepNumbers(program).count();
        for (int number : new int[] {0, -1, steps + 1}) {
            assertEquals("the steps of kernel 'bulk_copy' are numbered from 1 to " + steps + ", got " + number,
                    assertThrows(IllegalArgumentException.class, () -> CudaEmitter.emit(program).lineOf(number))
                    .getMessage());
        }
    }
}

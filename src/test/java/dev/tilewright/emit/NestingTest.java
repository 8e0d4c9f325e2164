package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How deep steps may be nested: every reading and the compiler take what is built, and no more is built. */
class NestingTest {
    private static final int DEEPEST = 100;
    private static final int KERNELS = Integer.getInteger("tilewright.nesting", 12);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final int LANES = 32;
    private static final int LONG = 256;

    /** What may be around a step. */
    private enum Kind { GUARD, OTHERWISE, LOOP, UNROLLED, WHILE, PROCEDURE, MIXED }

    private static Step step(Operation operation) {
        return new Step("a step that is nested", operation);
    }

    /** One body more around steps, which are performed once all the same. @param level from 1, differs for each */
    private static List<Step> around(List<Step> body, Kind kind, int level, Random random) {
        return switch (kind) {
            case GUARD -> List.of(step(new Operation.Guard(Builtin.THREAD.lessThan(1000 + level), body, List.of())));
            case OTHERWISE -> List.of(step(new Operation.Guard(Builtin.THREAD.atLeast(1000 + level),
                    List.of(step(new Operation.SyncThreads())), body)));
            case LOOP, UNROLLED -> List.of(step(new Operation.Loop(new Expr.Var("turn" + level, IntType.S32),
                    Expr.of(0), Expr.of(1), Expr.of(1), body, kind == Kind.UNROLLED)));
            case WHILE -> Body.steps(b -> {
                Register go = b.purpose("go").variable("go" + level, 1);
                b.purpose("once").repeatWhile(go.get().toIndex().atLeast(1), inner -> {
                    inner.purpose("no more").assign(go, Expr.of(0));
                    body.forEach(s -> inner.purpose(s.purpose()).add(s.operation()));
                });
            });
            case PROCEDURE ->
                    List.of(step(new Operation.Call(new Procedure("part" + level, "a part", List.of(), body),
                            List.of())));
            case MIXED -> around(body, Kind.values()[random.nextInt(Kind.MIXED.ordinal())], level, random);
        };
    }

    /**
     * @param deep bodies around the innermost step, the kernel's own included @param terms of the sum that it stores
     */
    private static TileProgram program(int deep, Kind kind, int terms, Random random) {
        Expr sum = Builtin.THREAD;
        for (int i = 1; i < terms; i++) {
            sum = random.nextBoolean() ? sum.plus(Builtin.THREAD) : Builtin.THREAD.plus(sum);
        }
        List<Step> body = List.of(step(new Operation.StoreValues(new Address.Global(OUT, Builtin.THREAD.times(4)),
                List.of(sum.toValue().to(ValueType.I32)))));
        for (int i = 1; i < deep; i++) {
            body = around(body, kind, i, random);
        }
        return new TileProgram("nested", "steps within steps", LANES, List.of(OUT), new SharedLayout(List.of()), body);
    }

    private static void readByAll(TileProgram program, int terms) {
        int[] wanted = new int[LANES];
        for (int i = 0; i < LANES; i++) {
            wanted[i] = terms * i;
        }
        Launch launch = Launch.of(program, 1, Map.of(OUT, new Argument.Buffer(0)));
        assertTrue(CudaEmitter.emit(program).text().contains("nested"));
        for (ReferenceOptions options : List.of(ReferenceOptions.DEFAULT, ReferenceOptions.DEFAULT.withSeed(7),
                ReferenceOptions.DEFAULT.sequential(), ReferenceOptions.DEFAULT.plain())) {
            int[] out = new int[LANES];
            Reference.run(launch, List.of(MemorySegment.ofArray(out)), options);
            assertArrayEquals(wanted, out);
        }
        int[] out = new int[LANES];
        assertEquals(List.of(), HazardCheck.check(launch, List.of(MemorySegment.ofArray(out))).findings());
        assertArrayEquals(wanted, out);
    }

    @Test
    void whatIsBuiltIsReadByAll() {
        Random random = new Random(25);
        for (int i = 0; i < KERNELS; i++) {
            Kind kind = Kind.values()[i % Kind.values().length];
            int deep = i < Kind.values().length ? DEEPEST : random.nextInt(1, DEEPEST + 1);
            int terms = random.nextInt(1, LONG);
            TileProgram program = program(deep, kind, terms, random);
            assertTimeoutPreemptively(Duration.ofSeconds(60), () -> readByAll(program, terms), kind + ", " + deep);
        }
    }

    @Test
    void theCompilerTakesTheDeepest() {
        Random random = new Random(26);
        for (Kind kind : List.of(Kind.GUARD, Kind.MIXED)) {
            CudaSource source = CudaEmitter.emit(program(DEEPEST, kind, LONG, random));
            EmbeddedCompiler.kernels(EmbeddedCompiler.release("13.3"), source.text(), List.of(source.kernelName()),
                    Target.SM_80);
        }
    }

    @Test
    void deeperIsRefused() {
        Random random = new Random(27);
        for (Kind kind : Kind.values()) {
            for (int deep : Stream.concat(Stream.of(DEEPEST + 1, Thorough.takes(kind.ordinal(), 3) ? 30_000 : 3_000),
                    random.ints(Thorough.of(1, 3), DEEPEST + 2, 3_000).boxed())
                    .toList()) {
                String message = assertThrows(IllegalArgumentException.class, () -> program(deep, kind, 1, random))
                        .getMessage();
                assertTrue(message.startsWith("steps are nested more than 100 deep, the kernel's own body counted: "
                        + "join conditions with "
                        + "and(), or put steps side by side (step: "), message);
            }
        }
    }

    /** Each guard is written within the one around it, before the program is there to be checked. */
    @Test
    void guardsWithinGuardsAreRefusedBeforeTheStackEnds() {
        for (int deep : List.of(1_200, 20_000)) {
            assertEquals("steps are nested more than 100 deep, the kernel's own body counted: join conditions with "
                    + "and(), or put steps side by side", assertThrows(IllegalArgumentException.class,
                            () -> Body.steps(body -> within(body, deep))).getMessage());
        }
    }

    private static void within(Body body, int deep) {
        if (deep == 0) {
            body.syncThreads();
        } else {
            body.when(Expr.Builtin.THREAD.lessThan(deep), inner -> within(inner, deep - 1));
        }
    }

    /** Each function calls the one before it. */
    @Test
    void functionsThatCallFunctionsAreRefusedJustSo() {
        for (int deep : List.of(DEEPEST, 3_000)) {
            assertEquals("functions are nested more than 100 deep, the kernel's own body counted: compute a part "
                    + "before the call, and "
                    + "pass it", assertThrows(IllegalArgumentException.class, () -> calling(deep)).getMessage()
                    .split(" \\(step")[0]);
        }
        readByAll(calling(DEEPEST - 1), 1);
    }

    private static TileProgram calling(int deep) {
        List<ValueFunction> functions = new ArrayList<>();
        for (int i = 0; i < deep; i++) {
            ValueFunction before = i == 0 ? null : functions.getLast();
            functions.add(ValueFunction.of("part" + i, "a part", ValueType.I32,
                    (_, v) -> before == null ? v : before.of(v)));
        }
        return new TileProgram("nested", "functions within functions", LANES, List.of(OUT), new SharedLayout(List.of()),
                List.of(step(new Operation.StoreValues(new Address.Global(OUT, Builtin.THREAD.times(4)),
                        List.of(functions.getLast().of(Builtin.THREAD.toValue().to(ValueType.I32)))))));
    }
}

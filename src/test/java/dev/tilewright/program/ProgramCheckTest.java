package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Expr.Builtin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Names in a program: every operation that uses something undeclared is refused, and every name means one thing. Each
 * wrong body differs in one place from {@link #everything}, which is accepted.
 */
class ProgramCheckTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    private static final Parameter.Scalar FACTOR = new Parameter.Scalar("factor", ElementType.F32);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 1);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", 1024, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);

    private static final Parameter.Pointer NO_POINTER = new Parameter.Pointer("no_pointer", true);
    private static final Parameter.Scalar NO_SCALAR = new Parameter.Scalar("no_scalar", ElementType.F32);
    private static final Parameter.TensorMap NO_MAP = new Parameter.TensorMap("no_map", 1);
    private static final SharedRegion.Buffer NO_RING = new SharedRegion.Buffer("no_ring", 16, 16);
    private static final SharedRegion.Barriers NO_FULL = new SharedRegion.Barriers("no_full", 1);
    private static final Expr GHOST = new Expr.Var("ghost", IntType.S32);
    private static final Fragment F32 = new Fragment("ghost", ElementType.F32, 4);

    private static final Expr ZERO = Expr.of(0);
    private static final Address.Global FROM = new Address.Global(IN, Expr.of(0L));
    private static final Address.Global TO = new Address.Global(OUT, Expr.of(0L));
    private static final Address.Shared PLACE = RING.at(ZERO);
    private static final Address.Barrier BARRIER = FULL.at(ZERO);

    private static TileProgram program(Consumer<Body> body) {
        return new TileProgram("kernel", "for a test", 32, List.of(IN, OUT, N, FACTOR, MAP),
                new SharedLayout(List.of(RING, FULL)), Body.steps(body));
    }

    private static void everything(Body b) {
        b.syncThreads("together");
        Expr offset = b.let("an offset", "offset", Builtin.THREAD.times(16));
        b.loop("some turns", "turn", ZERO, N.value(), Expr.of(1), (each, turn) ->
                each.when("in range", turn.lessThan(N.value()).and(offset.atLeast(turn)),
                        yes -> yes.cpAsync("copy", PLACE, FROM, 16, turn.min(16)),
                        no -> no.cpAsyncCommit("close")));
        Fragment data = b.load("read", "data", ElementType.F32, 4, PLACE);
        b.apply("scale", data, ElementStep.SCALE, FACTOR);
        b.store("write", TO, data);
        b.bulkLoad("bulk load", PLACE, FROM, Expr.of(16), BARRIER);
        b.bulkStore("bulk store", TO, PLACE, Expr.of(16));
        b.tensorLoad("tensor load", PLACE, MAP, List.of(offset), BARRIER);
        b.tensorStore("tensor store", MAP, List.of(offset), PLACE);
        b.barrierInit("init", BARRIER, 1);
        Token first = b.arrive("arrive", BARRIER, "first_phase");
        Token second = b.arriveExpectTx("arrive and expect", BARRIER, Expr.of(16), "second_phase");
        b.expectTx("expect", BARRIER, Expr.of(16));
        b.waitToken("wait", BARRIER, first);
        b.waitToken("wait again", BARRIER, second);
        b.waitParity("wait by parity", BARRIER, ZERO);
    }

    @Test
    void everythingDeclaredIsAccepted() {
        assertDoesNotThrow(() -> program(ProgramCheckTest::everything));
    }

    static Stream<Arguments> uses() {
        List<Arguments> all = new ArrayList<>();
        String variable = "'ghost' is used where it is not defined (step: wrong)";
        for (Consumer<Body> wrong : List.<Consumer<Body>>of(
                b -> b.let("wrong", "v", GHOST),
                b -> b.let("wrong", "v", GHOST.plus(1)),
                b -> b.let("wrong", "v", Expr.of(1).minus(GHOST)),
                b -> b.let("wrong", "v", GHOST.toS64()),
                b -> b.let("wrong", "v", GHOST.lessThan(1).choose(ZERO, Expr.of(1))),
                b -> b.let("wrong", "v", N.value().lessThan(1).choose(GHOST, ZERO)),
                b -> b.let("wrong", "v", N.value().lessThan(1).choose(ZERO, GHOST)),
                b -> b.loop("wrong", "v", GHOST, ZERO, Expr.of(1), (_, _) -> { }),
                b -> b.loop("wrong", "v", ZERO, GHOST, Expr.of(1), (_, _) -> { }),
                b -> b.loop("wrong", "v", ZERO, ZERO, GHOST, (_, _) -> { }),
                b -> b.when("wrong", GHOST.isEqualTo(0), _ -> { }),
                b -> b.when("wrong", N.value().isEqualTo(GHOST), _ -> { }),
                b -> b.when("wrong", N.value().isEqualTo(0).and(GHOST.isEqualTo(0)), _ -> { }),
                b -> b.when("wrong", GHOST.isEqualTo(0).and(N.value().isEqualTo(0)), _ -> { }),
                b -> b.load("wrong", "f", ElementType.F32, 1, RING.at(GHOST)),
                b -> b.load("wrong", "f", ElementType.F32, 1, new Address.Global(IN, GHOST.toS64())),
                b -> b.store("wrong", PLACE, F32),
                b -> b.apply("wrong", F32, ElementStep.ADD, FACTOR),
                b -> b.cpAsync("wrong", RING.at(GHOST), FROM, 16),
                b -> b.cpAsync("wrong", PLACE, new Address.Global(IN, GHOST.toS64()), 16),
                b -> b.cpAsync("wrong", PLACE, FROM, 16, GHOST),
                b -> b.bulkLoad("wrong", RING.at(GHOST), FROM, ZERO, BARRIER),
                b -> b.bulkLoad("wrong", PLACE, new Address.Global(IN, GHOST.toS64()), ZERO, BARRIER),
                b -> b.bulkLoad("wrong", PLACE, FROM, GHOST, BARRIER),
                b -> b.bulkLoad("wrong", PLACE, FROM, ZERO, FULL.at(GHOST)),
                b -> b.bulkStore("wrong", new Address.Global(OUT, GHOST.toS64()), PLACE, ZERO),
                b -> b.bulkStore("wrong", TO, RING.at(GHOST), ZERO),
                b -> b.bulkStore("wrong", TO, PLACE, GHOST),
                b -> b.tensorLoad("wrong", RING.at(GHOST), MAP, List.of(ZERO), BARRIER),
                b -> b.tensorLoad("wrong", PLACE, MAP, List.of(GHOST), BARRIER),
                b -> b.tensorLoad("wrong", PLACE, MAP, List.of(ZERO), FULL.at(GHOST)),
                b -> b.tensorStore("wrong", MAP, List.of(GHOST), PLACE),
                b -> b.tensorStore("wrong", MAP, List.of(ZERO), RING.at(GHOST)),
                b -> b.barrierInit("wrong", FULL.at(GHOST), 1),
                b -> b.arrive("wrong", FULL.at(GHOST)),
                b -> b.arriveExpectTx("wrong", FULL.at(GHOST), ZERO),
                b -> b.arriveExpectTx("wrong", BARRIER, GHOST),
                b -> b.expectTx("wrong", FULL.at(GHOST), ZERO),
                b -> b.expectTx("wrong", BARRIER, GHOST),
                b -> b.waitToken("wrong", BARRIER, new Token("ghost")),
                b -> b.waitToken("wrong", FULL.at(GHOST), b.arrive("arrive", BARRIER, "t")),
                b -> b.waitParity("wrong", FULL.at(GHOST), ZERO),
                b -> b.waitParity("wrong", BARRIER, GHOST))) {
            all.add(Arguments.of(wrong, variable));
        }
        for (Consumer<Body> wrong : List.<Consumer<Body>>of(
                b -> b.load("wrong", "f", ElementType.F32, 1, new Address.Global(NO_POINTER, Expr.of(0L))),
                b -> b.cpAsync("wrong", PLACE, new Address.Global(NO_POINTER, Expr.of(0L)), 16),
                b -> b.bulkLoad("wrong", PLACE, new Address.Global(NO_POINTER, Expr.of(0L)), ZERO, BARRIER),
                b -> b.bulkStore("wrong", new Address.Global(NO_POINTER, Expr.of(0L)), PLACE, ZERO))) {
            all.add(Arguments.of(wrong, "'no_pointer' is not a parameter of this kernel (step: wrong)"));
        }
        all.add(Arguments.of((Consumer<Body>) b -> b.apply("wrong", b.load("read", "f", ElementType.F32, 1, PLACE),
                ElementStep.ADD, NO_SCALAR), "'no_scalar' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.tensorLoad("wrong", PLACE, NO_MAP, List.of(ZERO), BARRIER),
                "'no_map' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.tensorStore("wrong", NO_MAP, List.of(ZERO), PLACE),
                "'no_map' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.let("wrong", "v", new Parameter.Int("n", IntType.S64).value()),
                "'n' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.load("wrong", "f", ElementType.F32, 1, NO_RING.at(ZERO)),
                "'no_ring' is not in this kernel's shared memory (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.barrierInit("wrong", NO_FULL.at(ZERO), 1),
                "'no_full' is not in this kernel's shared memory (step: wrong)"));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("uses")
    void whatIsNotDeclaredIsRefused(Consumer<Body> body, String message) {
        refused(message, body);
        // Behind everything that is right it is still wrong.
        refused(message, ((Consumer<Body>) ProgramCheckTest::everything).andThen(body));
    }

    static Stream<Arguments> twice() {
        return Stream.<Arguments>of(
                again("n", b -> b.let("wrong", "n", ZERO)),
                again("ring", b -> b.let("wrong", "ring", ZERO)),
                again("kernel", b -> b.let("wrong", "kernel", ZERO)),
                again("full", b -> b.loop("wrong", "full", ZERO, ZERO, Expr.of(1), (_, _) -> { })),
                again("x", b -> {
                    b.let("once", "x", ZERO);
                    b.let("wrong", "x", ZERO);
                }),
                again("x", b -> {
                    b.loop("once", "x", ZERO, ZERO, Expr.of(1), (_, _) -> { });
                    b.loop("wrong", "x", ZERO, ZERO, Expr.of(1), (_, _) -> { });
                }),
                again("x", b -> {
                    b.let("once", "x", ZERO);
                    b.load("wrong", "x", ElementType.F32, 1, PLACE);
                }),
                again("x", b -> {
                    b.load("once", "x", ElementType.F32, 1, PLACE);
                    b.arrive("wrong", BARRIER, "x");
                }),
                again("x", b -> {
                    b.arrive("once", BARRIER, "x");
                    b.arriveExpectTx("wrong", BARRIER, ZERO, "x");
                }));
    }

    private static Arguments again(String name, Consumer<Body> body) {
        return Arguments.of(name, body);
    }

    @ParameterizedTest
    @MethodSource("twice")
    void aNameMeansOneThing(String name, Consumer<Body> body) {
        refused("the name '" + name + "' is given twice (step: wrong)", body);
    }

    @Test
    void declarationsHaveNamesOfTheirOwn() {
        assertEquals("the name 'ring' is given twice", assertThrows(IllegalArgumentException.class, () -> new TileProgram(
                "kernel", "for a test", 32, List.of(new Parameter.Pointer("ring", false)), new SharedLayout(List.of(RING)),
                List.of())).getMessage());
        assertEquals("the name 'in' is given twice", assertThrows(IllegalArgumentException.class, () -> new TileProgram(
                "kernel", "for a test", 32, List.of(IN, IN), new SharedLayout(List.of()), List.of())).getMessage());
    }

    @Test
    void whatABodyDefinesEndsWithIt() {
        refused("'x' is used where it is not defined (step: after)", b -> {
            Expr[] x = new Expr[1];
            b.when("guarded", N.value().isEqualTo(0), in -> x[0] = in.let("inside", "x", ZERO));
            b.let("after", "y", x[0]);
        });
        refused("'x' is used where it is not defined (step: other branch) (step: guarded)", b -> {
            Expr[] x = new Expr[1];
            b.when("guarded", N.value().isEqualTo(0), in -> x[0] = in.let("inside", "x", ZERO),
                    no -> no.let("other branch", "y", x[0]));
        });
        refused("'turn' is used where it is not defined (step: after)", b -> {
            Expr[] turn = new Expr[1];
            b.loop("loop", "turn", ZERO, N.value(), Expr.of(1), (_, variable) -> turn[0] = variable);
            b.let("after", "y", turn[0]);
        });
        refused("'turn' is used where it is not defined (step: loop)", b ->
                b.add("loop", new Operation.Loop(new Expr.Var("turn", IntType.S32), ZERO, new Expr.Var("turn", IntType.S32),
                        Expr.of(1), List.of())));
    }

    @Test
    void aMistakeDeepInsideNamesEveryStepAroundIt() {
        refused("'ghost' is used where it is not defined (step: innermost) (step: guard) (step: loop)", b ->
                b.loop("loop", "turn", ZERO, N.value(), Expr.of(1), (each, turn) ->
                        each.when("guard", turn.lessThan(3), in -> in.let("innermost", "v", GHOST))));
    }

    @ParameterizedTest
    @MethodSource
    void namesOfGeneratedFunctionsAreTaken(String function, Consumer<Body> use) {
        String message = "the name '" + function + "' is that of a function in this kernel's generated code: choose another";
        refused(message, b -> {
            b.let("a variable", function, ZERO);
            use.accept(b);
        });
        refused(message, b -> {
            use.accept(b);
            b.when("nested", N.value().isEqualTo(0), in -> in.load("a fragment", function, ElementType.F32, 1, PLACE));
        });
        // Without the function the name is free.
        assertDoesNotThrow(() -> program(b -> b.let("a variable", function, ZERO)));
    }

    static Stream<Arguments> namesOfGeneratedFunctionsAreTaken() {
        return Stream.of(
                function("bulk_commit_group", b -> b.bulkCommit("commit")),
                function("cp_async_wait_group_2", b -> b.cpAsyncWait("wait", 2)),
                function("mbarrier_init", b -> b.when("one", N.value().isEqualTo(1), in -> in.barrierInit("init", BARRIER, 1))),
                function("scale_f32", b -> b.apply("scale", b.load("read", "f", ElementType.F32, 1, PLACE), ElementStep.SCALE, FACTOR)));
    }

    private static Arguments function(String name, Consumer<Body> use) {
        return Arguments.of(name, use);
    }

    @Test
    void theKernelItselfCannotBeCalledAsOneOfItsFunctions() {
        assertEquals("the name 'bulk_commit_group' is that of a function in this kernel's generated code: choose another",
                assertThrows(IllegalArgumentException.class, () -> new TileProgram("bulk_commit_group", "for a test", 32, List.of(),
                        new SharedLayout(List.of()), Body.steps(b -> b.bulkCommit("commit")))).getMessage());
    }

    private static void refused(String message, Consumer<Body> body) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> program(body)).getMessage());
    }
}

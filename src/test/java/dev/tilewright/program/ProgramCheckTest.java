package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Names in a program: every operation that uses something undeclared is refused, and what is declared has a name of its
 * own. Each wrong body differs in one place from {@link #everything}, which is accepted.
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
    private static final Address.Global FROM = new Address.Global(IN, 0);
    private static final Address.Global TO = new Address.Global(OUT, 0);
    private static final Address.Shared PLACE = RING.at(ZERO);
    private static final Address.Barrier BARRIER = FULL.at(ZERO);

    private static TileProgram program(Consumer<Body> body) {
        return new TileProgram("kernel", "for a test", 32, List.of(IN, OUT, N, FACTOR, MAP),
                new SharedLayout(List.of(RING, FULL)), Body.steps(body));
    }

    private static void everything(Body b) {
        b.purpose("together").syncThreads();
        Expr offset = b.purpose("an offset").let("offset", Builtin.THREAD.times(16));
        b.purpose("some turns").loop("turn", ZERO, N.value(), 1, (each, turn) ->
                each.purpose("in range").when(turn.lessThan(N.value()).and(offset.atLeast(turn)),
                        yes -> yes.purpose("copy").cpAsync(PLACE, FROM, 16).sourceBytes(turn.min(16)),
                        no -> no.purpose("close").cpAsyncCommit()));
        Fragment data = b.purpose("read").load("data", ElementType.F32, 4, PLACE);
        b.purpose("a value").let("factor", FACTOR.value());
        b.purpose("write").store(TO, data);
        b.purpose("bulk load").bulkLoad(PLACE, FROM, 16, BARRIER);
        b.purpose("bulk store").bulkStore(TO, PLACE, 16);
        b.purpose("tensor load").tensorLoad(PLACE, MAP, List.of(offset), BARRIER);
        b.purpose("tensor store").tensorStore(MAP, List.of(offset), PLACE);
        b.purpose("init").barrierInit(BARRIER, 1);
        Token first = b.purpose("arrive").arrive(BARRIER).token("first_phase");
        Token second = b.purpose("arrive and expect").arriveExpectTx(BARRIER, 16).token("second_phase");
        b.purpose("expect").expectTx(BARRIER, 16);
        b.purpose("wait").waitToken(BARRIER, first);
        b.purpose("wait again").waitToken(BARRIER, second);
        b.purpose("wait by parity").waitParity(BARRIER, ZERO);
    }

    @Test
    void everythingDeclaredIsAccepted() {
        assertDoesNotThrow(() -> program(ProgramCheckTest::everything));
    }

    static Stream<Arguments> uses() {
        List<Arguments> all = new ArrayList<>();
        String variable = "'ghost' is used where it is not defined (step: wrong)";
        for (Consumer<Body> wrong : List.<Consumer<Body>>of(
                b -> b.purpose("wrong").let("v", GHOST),
                b -> b.purpose("wrong").let("v", GHOST.plus(1)),
                b -> b.purpose("wrong").let("v", Expr.of(1).minus(GHOST)),
                b -> b.purpose("wrong").let("v", GHOST.toS64()),
                b -> b.purpose("wrong").let("v", GHOST.lessThan(1).choose(ZERO, 1)),
                b -> b.purpose("wrong").let("v", N.value().lessThan(1).choose(GHOST, ZERO)),
                b -> b.purpose("wrong").let("v", N.value().lessThan(1).choose(ZERO, GHOST)),
                b -> b.purpose("wrong").loop("v", GHOST, ZERO, 1, (_, _) -> { }),
                b -> b.purpose("wrong").loop("v", ZERO, GHOST, 1, (_, _) -> { }),
                b -> b.purpose("wrong").loop("v", ZERO, ZERO, GHOST, (_, _) -> { }),
                b -> b.purpose("wrong").when(GHOST.isEqualTo(0), _ -> { }),
                b -> b.purpose("wrong").when(N.value().isEqualTo(GHOST), _ -> { }),
                b -> b.purpose("wrong").when(N.value().isEqualTo(0).and(GHOST.isEqualTo(0)), _ -> { }),
                b -> b.purpose("wrong").when(GHOST.isEqualTo(0).and(N.value().isEqualTo(0)), _ -> { }),
                b -> b.purpose("wrong").load("f", ElementType.F32, 1, RING.at(GHOST)),
                b -> b.purpose("wrong").load("f", ElementType.F32, 1, new Address.Global(IN, GHOST.toS64())),
                b -> b.purpose("wrong").store(PLACE, F32),
                b -> b.purpose("wrong").cpAsync(RING.at(GHOST), FROM, 16),
                b -> b.purpose("wrong").cpAsync(PLACE, new Address.Global(IN, GHOST.toS64()), 16),
                b -> b.purpose("wrong").cpAsync(PLACE, FROM, 16).sourceBytes(GHOST),
                b -> b.purpose("wrong").bulkLoad(RING.at(GHOST), FROM, ZERO, BARRIER),
                b -> b.purpose("wrong").bulkLoad(PLACE, new Address.Global(IN, GHOST.toS64()), ZERO, BARRIER),
                b -> b.purpose("wrong").bulkLoad(PLACE, FROM, GHOST, BARRIER),
                b -> b.purpose("wrong").bulkLoad(PLACE, FROM, ZERO, FULL.at(GHOST)),
                b -> b.purpose("wrong").bulkStore(new Address.Global(OUT, GHOST.toS64()), PLACE, ZERO),
                b -> b.purpose("wrong").bulkStore(TO, RING.at(GHOST), ZERO),
                b -> b.purpose("wrong").bulkStore(TO, PLACE, GHOST),
                b -> b.purpose("wrong").tensorLoad(RING.at(GHOST), MAP, List.of(ZERO), BARRIER),
                b -> b.purpose("wrong").tensorLoad(PLACE, MAP, List.of(GHOST), BARRIER),
                b -> b.purpose("wrong").tensorLoad(PLACE, MAP, List.of(ZERO), FULL.at(GHOST)),
                b -> b.purpose("wrong").tensorStore(MAP, List.of(GHOST), PLACE),
                b -> b.purpose("wrong").tensorStore(MAP, List.of(ZERO), RING.at(GHOST)),
                b -> b.purpose("wrong").barrierInit(FULL.at(GHOST), 1),
                b -> b.purpose("wrong").arrive(FULL.at(GHOST)),
                b -> b.purpose("wrong").arriveExpectTx(FULL.at(GHOST), ZERO),
                b -> b.purpose("wrong").arriveExpectTx(BARRIER, GHOST),
                b -> b.purpose("wrong").expectTx(FULL.at(GHOST), ZERO),
                b -> b.purpose("wrong").expectTx(BARRIER, GHOST),
                b -> b.purpose("wrong").waitToken(BARRIER, new Token(new Expr.Var("ghost", IntType.S64))),
                b -> b.purpose("wrong").waitToken(FULL.at(GHOST), b.purpose("arrive").arrive(BARRIER).token("t")),
                b -> b.purpose("wrong").waitParity(FULL.at(GHOST), ZERO),
                b -> b.purpose("wrong").waitParity(BARRIER, GHOST))) {
            all.add(Arguments.of(wrong, variable));
        }
        for (Consumer<Body> wrong : List.<Consumer<Body>>of(
                b -> b.purpose("wrong").load("f", ElementType.F32, 1, new Address.Global(NO_POINTER, 0)),
                b -> b.purpose("wrong").cpAsync(PLACE, new Address.Global(NO_POINTER, 0), 16),
                b -> b.purpose("wrong").bulkLoad(PLACE, new Address.Global(NO_POINTER, 0), ZERO, BARRIER),
                b -> b.purpose("wrong").bulkStore(new Address.Global(NO_POINTER, 0), PLACE, ZERO))) {
            all.add(Arguments.of(wrong, "'no_pointer' is not a parameter of this kernel (step: wrong)"));
        }
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong")
                .let("f", NO_SCALAR.value()), "'no_scalar' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong")
                .tensorLoad(PLACE, NO_MAP, List.of(ZERO), BARRIER),
                "'no_map' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong").tensorStore(NO_MAP, List.of(ZERO), PLACE),
                "'no_map' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong")
                .let("v", new Parameter.Int("n", IntType.S64).value()),
                "'n' is not a parameter of this kernel (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong").load("f", ElementType.F32, 1, NO_RING.at(ZERO)),
                "'no_ring' is not in this kernel's shared memory (step: wrong)"));
        all.add(Arguments.of((Consumer<Body>) b -> b.purpose("wrong").barrierInit(NO_FULL.at(ZERO), 1),
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

    @Test
    void declarationsHaveNamesOfTheirOwn() {
        assertEquals("the name 'ring' is given to two things: a parameter and shared memory",
                assertThrows(IllegalArgumentException.class, () -> new TileProgram("kernel", "for a test", 32,
                        List.of(new Parameter.Pointer("ring", false)), new SharedLayout(List.of(RING)), List.of()))
                        .getMessage());
        assertEquals("the name 'in' is given to two things: a parameter and a parameter",
                assertThrows(IllegalArgumentException.class, () -> new TileProgram("kernel", "for a test", 32,
                        List.of(IN, new Parameter.Pointer("in", true)), new SharedLayout(List.of()), List.of()))
                        .getMessage());
        assertEquals("the name 'in' is given twice", assertThrows(IllegalArgumentException.class, () -> new TileProgram(
                "kernel", "for a test", 32, List.of(IN, IN), new SharedLayout(List.of()), List.of())).getMessage());
        assertEquals("two shared regions have the same name: [" + RING + ", " + RING + "]",
                assertThrows(IllegalArgumentException.class, () -> new SharedLayout(List.of(RING, RING))).getMessage());
    }

    @Test
    void whatGeneratedCodeDeclaresOnceIsOneThing() {
        Procedure one = Procedure.of("fill", "fills", List.of(), Body::syncThreads);
        Procedure other = Procedure.of("fill", "fills otherwise", List.of(), Body::syncThreads);
        refused("the name 'fill' is given to two things: a procedure and a procedure (step: wrong)", b -> {
            b.call(one);
            b.purpose("wrong").call(other);
        });
        refused("the name 'n' is given to two things: a parameter and a procedure (step: wrong)",
                b -> b.purpose("wrong").call(Procedure.of("n", "fills", List.of(), Body::syncThreads)));
        refused("the name 'stages' is given to two things: the constant 4 and the constant 5 (step: wrong)", b -> {
            b.let("a", Expr.named("stages", 4));
            b.purpose("wrong").let("b", Expr.named("stages", 5));
        });
        refused("the name 'fill' is given to two things: a procedure and the constant 4 (step: wrong)", b -> {
            b.call(one);
            b.purpose("wrong").let("b", Expr.named("fill", 4));
        });
        refused("the name 'ring' is given to two things: shared memory and the constant 4 (step: wrong)",
                b -> b.purpose("wrong").let("b", Expr.named("ring", 4)));
        // The same thing again, however often it was made.
        assertDoesNotThrow(() -> program(b -> {
            b.call(one);
            b.call(Procedure.of("fill", "fills", List.of(), Body::syncThreads));
            b.let("a", Expr.named("stages", 4).plus(Expr.named("stages", 4)));
        }));
    }

    @Test
    void aProcedureSeesItsOwnVariablesAndWhatTheKernelDeclares() {
        Expr.Var p = new Expr.Var("p", IntType.S32);
        assertDoesNotThrow(() -> program(b -> b.call(Procedure.of("sees", "sees", List.of(p), in -> {
            in.let("v", p.plus(N.value()));
            in.store(TO, in.load("f", ElementType.F32, 1, RING.at(p)));
        }), ZERO)));
        refused("'x' is used where it is not defined (step: inside)", b -> {
            Expr x = b.let("x", ZERO);
            b.call(Procedure.of("sees_not", "is written apart", List.of(), in -> in.purpose("inside").let("v", x)));
        });
        refused("'p' is used where it is not defined (step: after)", b -> {
            b.call(Procedure.of("sees", "sees", List.of(p), _ -> { }), ZERO);
            b.purpose("after").let("v", p);
        });
        refused("'no_pointer' is not a parameter of this kernel (step: inside)",
                b -> b.call(Procedure.of("sees", "sees", List.of(), in -> in.purpose("inside")
                .bulkStore(new Address.Global(NO_POINTER, 0), PLACE, ZERO))));
        refused("'no_ring' is not in this kernel's shared memory (step: inside)",
                b -> b.call(Procedure.of("sees", "sees", List.of(), in -> in.purpose("inside")
                .load("f", ElementType.F32, 1, NO_RING.at(ZERO)))));
        refused("'ghost' is used where it is not defined (step: the call)",
                b -> b.purpose("the call").call(Procedure.of("takes", "takes", List.of(p), _ -> { }), GHOST));
    }

    @Test
    void aVariableIsDefinedOnce() {
        Expr.Var x = new Expr.Var("x", IntType.S32);
        refused("'x' is defined where it is defined already (step: wrong)", b -> {
            b.purpose("once").add(new Operation.Let(x, ZERO));
            b.purpose("wrong").add(new Operation.Let(x, ZERO));
        });
        refused("'x' is defined where it is defined already (step: wrong)", b -> {
            b.purpose("once").add(new Operation.Let(x, ZERO));
            b.when(N.value().isEqualTo(0), in -> in.purpose("wrong").add(new Operation.Let(x, ZERO)));
        });
        // One after the other, each in a body of its own.
        assertDoesNotThrow(() -> program(b -> {
            b.when(N.value().isEqualTo(0), in -> in.add(new Operation.Let(x, ZERO)),
                    in -> in.add(new Operation.Let(x, ZERO)));
            b.add(new Operation.Let(x, ZERO));
        }));
    }

    @Test
    void whatABodyDefinesEndsWithIt() {
        refused("'x' is used where it is not defined (step: after)", b -> {
            Expr[] x = new Expr[1];
            b.purpose("guarded").when(N.value().isEqualTo(0), in -> x[0] = in.purpose("inside").let("x", ZERO));
            b.purpose("after").let("y", x[0]);
        });
        refused("'x' is used where it is not defined (step: other branch)", b -> {
            Expr[] x = new Expr[1];
            b.purpose("guarded").when(N.value().isEqualTo(0), in -> x[0] = in.purpose("inside").let("x", ZERO),
                    no -> no.purpose("other branch").let("y", x[0]));
        });
        refused("'turn' is used where it is not defined (step: after)", b -> {
            Expr[] turn = new Expr[1];
            b.purpose("loop").loop("turn", ZERO, N.value(), 1, (_, variable) -> turn[0] = variable);
            b.purpose("after").let("y", turn[0]);
        });
        refused("'turn' is used where it is not defined (step: loop)", b ->
                b.purpose("loop")
                        .add(new Operation.Loop(new Expr.Var("turn", IntType.S32), ZERO,
                        new Expr.Var("turn", IntType.S32), Expr.of(1), List.of())));
    }

    @Test
    void aMistakeDeepInsideNamesTheInnermostStep() {
        refused("'ghost' is used where it is not defined (step: innermost)", b ->
                b.purpose("loop").loop("turn", ZERO, N.value(), 1, (each, turn) ->
                        each.purpose("guard").when(turn.lessThan(3), in -> in.purpose("innermost").let("v", GHOST))));
    }

    @Test
    void theLineOfJavaThatAddedTheStepIsNamed() {
        int[] line = new int[1];
        Consumer<Body> wrong = b -> {
            b.purpose("right").syncThreads();
            b.when(N.value().isEqualTo(0), in -> {
                line[0] = StackWalker.getInstance().walk(f -> f.findFirst().orElseThrow().getLineNumber()) + 1;
                in.let("v", GHOST);
            });
        };
        assertEquals("'ghost' is used where it is not defined (step: let v, added at ProgramCheckTest.java:"
                + line(wrong, line) + ")", assertThrows(IllegalArgumentException.class, () -> program(wrong))
                .getMessage());
    }

    /** The line that a body notes when it is run. */
    private static int line(Consumer<Body> body, int[] line) {
        Body.steps(body);
        return line[0];
    }

    private static void refused(String message, Consumer<Body> body) {
        assertEquals(message,
                JavaLines.without(assertThrows(IllegalArgumentException.class, () -> program(body)).getMessage()));
    }
}

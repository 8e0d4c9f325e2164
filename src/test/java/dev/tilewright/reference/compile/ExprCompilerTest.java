package dev.tilewright.reference.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.state.BlockLayout;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.Election;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compiled index expressions against the same trees evaluated with numbers of any size. */
class ExprCompilerTest {
    private static final Parameter.Int NARROW = new Parameter.Int("narrow", IntType.S32);
    private static final Parameter.Int WIDE = new Parameter.Int("wide", IntType.S64);
    private static final Expr.Var X = new Expr.Var("x", IntType.S32);
    private static final Expr.Var Y = new Expr.Var("y", IntType.S64);
    private static final int THREAD = 5;
    private static final int BLOCK = 3;
    private static final int GRID = 100_000;

    /** Values of the leaves in one evaluation. */
    record Values(int narrow, long wide, int x, long y) {
    }

    @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
    void compiledExpressionsMeanWhatExactArithmeticSays(@ForAll("expressions") Expr e,
            @ForAll("values") Values values) {
        Optional<BigInteger> expected = evaluate(e, values);
        if (expected.isPresent()) {
            assertEquals(expected.get(), BigInteger.valueOf(run(e, values)), e::toString);
        } else {
            assertEquals(ReferenceException.Kind.ARITHMETIC,
                    assertThrows(Fault.class, () -> run(e, values), e::toString).kind());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ADD | 2147483647 | 1 | 2147483647 + 1 does not fit a 32-bit index",
        "SUB | -2147483648 | 1 | -2147483648 - 1 does not fit a 32-bit index",
        "MUL | 65536 | -65536 | 65536 * (-65536) does not fit a 32-bit index",
        "DIV | 7 | 0 | 7 / 0 divides by zero",
        "REM | 7 | 0 | 7 % 0 divides by zero",
        "DIV | -2147483648 | -1 | -2147483648 / (-1) does not fit a 32-bit index"})
    void complaintsShowTheNumbers(Op op, int a, int b, String message) {
        Values values = new Values(a, 0, b, 0);
        Fault f = assertThrows(Fault.class, () -> run(new Expr.Binary(op, NARROW.value(), X), values));
        assertEquals(message, f.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ADD | 9223372036854775807 | 1 | 9223372036854775807 + 1 does not fit a 64-bit index",
        "SUB | -9223372036854775808 | 1 | -9223372036854775808 - 1 does not fit a 64-bit index",
        "MUL | 4294967296 | 2147483648 | 4294967296 * 2147483648 does not fit a 64-bit index",
        "DIV | -9223372036854775808 | -1 | -9223372036854775808 / (-1) does not fit a 64-bit index",
        "REM | -9223372036854775808 | -1 | -9223372036854775808 % (-1) does not fit a 64-bit index",
        "SHL | 4611686018427387904 | 1 | 4611686018427387904 << 1 does not fit a 64-bit index"})
    void complaintsShowTheNumbersOf64BitsToo(Op op, long a, long b, String message) {
        Values values = new Values(0, a, 0, b);
        Fault f = assertThrows(Fault.class, () -> run(new Expr.Binary(op, WIDE.value(), Y), values));
        assertEquals(message, f.getMessage());
    }

    @Test
    void theComplaintAboutNarrowingShowsTheNumber() {
        Fault f = assertThrows(Fault.class, () -> run(WIDE.value().toS32(), new Values(0, 1L << 40, 0, 0)));
        assertEquals("1099511627776 does not fit a 32-bit index", f.getMessage());
    }

    @Test
    void aMistakeInAConstantIsMadeOnlyByThreadsThatGetThere() {
        Expr bad = new Expr.Binary(Op.DIV, Expr.of(1), NARROW.value());
        Expr guarded = Builtin.THREAD.lessThan(THREAD).choose(bad, 4);
        assertEquals(4, run(guarded, new Values(0, 0, 0, 0)));
    }

    private static long run(Expr e, Values values) {
        TileProgram program = new TileProgram("test", "test", 8, List.of(NARROW, WIDE), new SharedLayout(List.of()),
                List.of());
        Bindings bindings = new Bindings(program, Map.of(
                NARROW, new Binding.Integer(values.narrow()), WIDE, new Binding.Integer(values.wide())));
        Slots slots = new Slots();
        int x = slots.define(new Expr.Var("x", IntType.S32), 1);
        int y = slots.define(new Expr.Var("y", IntType.S64), 1);
        ClusterState cluster = new ClusterState(new BlockLayout(8, 1, slots.initial(), 0, List.of(), false, (byte) 0,
                Election.HIGHEST, false), null);
        cluster.restart(BLOCK);
        ThreadState thread = cluster.block(0).threads()[THREAD];
        thread.slots[x] = values.x();
        thread.slots[y] = values.y();
        return new ExprCompiler(slots, bindings, Dim3.of(1024), new GridShape(Dim3.of(GRID), Dim3.ONE)).index(e)
                .value(thread);
    }

    /** The exact value; nothing where the program makes a mistake. */
    private static Optional<BigInteger> evaluate(Expr e, Values v) {
        return switch (e) {
            case Expr.Named n -> evaluate(n.value(), v);
            case Expr.Const c -> Optional.of(BigInteger.valueOf(c.value()));
            case Builtin b ->
                    Optional.of(BigInteger.valueOf(b == Builtin.THREAD ? THREAD : b == Builtin.BLOCK ? BLOCK : GRID));
            case Expr.Var x -> Optional.of(BigInteger.valueOf(x.equals(X) ? v.x() : v.y()));
            case Expr.ParamValue p ->
                    Optional.of(BigInteger.valueOf(p.parameter().equals(NARROW) ? v.narrow() : v.wide()));
            case Expr.Convert c -> evaluate(c.value(), v).filter(r -> fits(r, c.type()));
            case Expr.Select s -> evaluateCondition(s.condition(), v)
                    .flatMap(yes -> evaluate(yes ? s.yes() : s.no(), v));
            case Expr.Binary b -> evaluate(b.left(), v).flatMap(l -> evaluate(b.right(), v)
                    .flatMap(r -> apply(b.op(), b.type(), l, r)));
            case Expr.Compare _, Expr.And _, Expr.Or _, Expr.Not _, Expr.OfValue _, Expr.DeviceAddress _,
                    Expr.SharedAddress _ -> throw new AssertionError(e);
        };
    }

    private static Optional<Boolean> evaluateCondition(Expr e, Values v) {
        return switch (e) {
            case Expr.And b -> evaluateCondition(b.left(), v)
                    .flatMap(l -> l ? evaluateCondition(b.right(), v) : Optional.of(false));
            case Expr.Compare c -> evaluate(c.left(), v).flatMap(l -> evaluate(c.right(), v).map(r -> {
                int order = l.compareTo(r);
                return switch (c.relation()) {
                    case EQ -> order == 0;
                    case NE -> order != 0;
                    case LT -> order < 0;
                    case LE -> order <= 0;
                    case GT -> order > 0;
                    case GE -> order >= 0;
                };
            }));
            default -> throw new AssertionError(e);
        };
    }

    private static Optional<BigInteger> apply(Op op, IntType type, BigInteger a, BigInteger b) {
        int width = type == IntType.S32 ? 32 : 64;
        boolean goodShift = b.signum() >= 0 && b.compareTo(BigInteger.valueOf(width)) < 0;
        Optional<BigInteger> result = switch (op) {
            case ADD -> Optional.of(a.add(b));
            case SUB -> Optional.of(a.subtract(b));
            case MUL -> Optional.of(a.multiply(b));
            case DIV -> b.signum() == 0 ? Optional.empty() : Optional.of(a.divide(b));
            case REM -> b.signum() == 0 || !fits(a.divide(b), type) ? Optional.empty() : Optional.of(a.remainder(b));
            case MIN -> Optional.of(a.min(b));
            case MAX -> Optional.of(a.max(b));
            case AND -> Optional.of(a.and(b));
            case OR -> Optional.of(a.or(b));
            case XOR -> Optional.of(a.xor(b));
            case SHL -> goodShift ? Optional.of(a.shiftLeft(b.intValue())) : Optional.empty();
            case SHR -> goodShift ? Optional.of(a.shiftRight(b.intValue())) : Optional.empty();
        };
        return result.filter(r -> fits(r, type));
    }

    private static boolean fits(BigInteger value, IntType type) {
        return value.bitLength() < (type == IntType.S32 ? 32 : 64);
    }

    @Provide
    Arbitrary<Values> values() {
        return Combinators.combine(Arbitraries.integers(), Arbitraries.longs(), Arbitraries.integers(),
                Arbitraries.longs())
                .as(Values::new);
    }

    @Provide
    Arbitrary<Expr> expressions() {
        return Arbitraries.oneOf(narrow(3), wide(3));
    }

    private static Arbitrary<Expr> narrow(int depth) {
        Arbitrary<Expr> leaf = Arbitraries.oneOf(
                Arbitraries.of(Builtin.THREAD, Builtin.BLOCK, Builtin.GRID, X, NARROW.value()),
                Arbitraries.of(Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 16).map(Expr::of),
                Arbitraries.integers().between(-3, 40).map(Expr::of));
        if (depth == 0) {
            return leaf;
        }
        return Arbitraries.oneOf(leaf, binary(narrow(depth - 1)), binary(narrow(depth - 1)),
                select(depth, narrow(depth - 1)), wide(depth - 1).map(e -> new Expr.Convert(e, IntType.S32)));
    }

    private static Arbitrary<Expr> wide(int depth) {
        Arbitrary<Expr> leaf = Arbitraries.oneOf(Arbitraries.of(Y, WIDE.value()),
                Arbitraries.of(Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 1L << 31).map(Expr::of),
                Arbitraries.longs().between(-3, 70).map(Expr::of));
        if (depth == 0) {
            return leaf;
        }
        return Arbitraries.oneOf(leaf, binary(wide(depth - 1)), binary(wide(depth - 1)), select(depth, wide(depth - 1)),
                narrow(depth - 1).map(e -> new Expr.Convert(e, IntType.S64)));
    }

    private static Arbitrary<Expr> binary(Arbitrary<Expr> side) {
        return Combinators.combine(Arbitraries.of(Op.values()), side, side).as(Expr.Binary::new);
    }

    private static Arbitrary<Expr> select(int depth, Arbitrary<Expr> side) {
        Arbitrary<Expr> compare = Combinators.combine(Arbitraries.of(Relation.values()), narrow(depth - 1),
                narrow(depth - 1))
                .as(Expr.Compare::new);
        Arbitrary<Expr> condition = Arbitraries.oneOf(compare, Combinators.combine(compare, compare).as(Expr.And::new));
        return Combinators.combine(condition, side, side).as(Expr.Select::new);
    }
}

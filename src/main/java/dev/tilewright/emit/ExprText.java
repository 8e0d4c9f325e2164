package dev.tilewright.emit;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;

/** Prints index expressions as C++, with the parentheses that precedence needs, and some for readers. */
final class ExprText {
    /** Binding strength, as in C++; bitwise operators and shifts get parentheses wherever they are nested. */
    private static final int SELECT = 1;
    private static final int OR = 2;
    private static final int AND = 3;
    private static final int BITS = 4;
    private static final int COMPARE = 5;
    private static final int SUM = 6;
    private static final int PRODUCT = 7;
    private static final int UNARY = 8;

    private final NameScope names;
    /** Null where an expression has no values within it. */
    private final ValueText values;

    ExprText(NameScope names, ValueText values) {
        this.names = names;
        this.values = values;
    }

    /** For expressions without values within them. */
    ExprText(NameScope names) {
        this(names, null);
    }

    static String cType(IntType type) {
        return switch (type) {
            case S32 -> "int";
            case S64 -> "long long";
            case BOOL -> "bool";
        };
    }

    String of(Expr e) {
        return of(e, 0);
    }

    /** The text for use anywhere. */
    String primary(Expr e) {
        return of(e, UNARY);
    }

    /** The text for use as a summand. */
    String summand(Expr e) {
        return of(e, SUM);
    }

    private String of(Expr e, int context) {
        return switch (e) {
            case Expr.Const(long value, IntType type) -> constant(value, type, context);
            case Expr.Builtin b -> names.has(b) ? names.of(b) + "()" : "(int)" + b.cName();
            case Expr.Named n -> names.of(n);
            case Expr.Var v -> names.of(v);
            case Expr.ParamValue p -> names.of(p.parameter());
            case Expr.DeviceAddress a -> "(long long)" + names.of(a.pointer());
            case Expr.SharedAddress a -> "(int)__cvta_generic_to_shared(" + names.of(a.buffer()) + ")";
            case Expr.Binary b -> binary(b, context);
            case Expr.Compare c -> wrap(COMPARE, context,
                    of(c.left(), COMPARE + 1) + " " + c.relation().symbol() + " " + of(c.right(), COMPARE + 1));
            case Expr.And b -> wrap(AND, context, of(b.left(), AND) + " && " + of(b.right(), AND));
            case Expr.Select s -> wrap(SELECT, context, of(s.condition(), SELECT + 1) + " ? " + of(s.yes(), SELECT + 1)
                    + " : " + of(s.no(), SELECT));
            case Expr.Or b -> wrap(OR, context, of(b.left(), AND) + " || " + of(b.right(), AND));
            case Expr.Not n -> "!" + of(n.condition(), UNARY);
            case Expr.Convert c -> "(" + cType(c.type()) + ")" + of(c.value(), UNARY);
            case Expr.OfValue(Value value) -> ofValue(value, e.type());
        };
    }

    private String ofValue(Value value, IntType type) {
        boolean same = switch (value.type()) {
            case PRED, I32, I64 -> true;
            default -> false;
        };
        return (same ? "" : "(" + cType(type) + ")") + values.of(value);
    }

    private static String constant(long value, IntType type, int context) {
        if (value == Long.MIN_VALUE || type == IntType.S32 && value == Integer.MIN_VALUE) {
            String suffix = type == IntType.S64 ? "LL" : "";
            return "(" + (value + 1) + suffix + " - 1)";
        }
        String text = value + (type == IntType.S64 ? "LL" : "");
        return value < 0 && context > 0 ? "(" + text + ")" : text;
    }

    private String binary(Expr.Binary b, int context) {
        String symbol = " " + b.op().symbol() + " ";
        return switch (b.op()) {
            // Also a + (b - c) keeps its parentheses: a + b might overflow.
            case ADD, SUB -> wrap(SUM, context, of(b.left(), SUM) + symbol + of(b.right(), SUM + 1));
            case MUL, DIV, REM -> wrap(PRODUCT, context, of(b.left(), PRODUCT) + symbol + of(b.right(), PRODUCT + 1));
            case MIN -> "min(" + of(b.left(), 0) + ", " + of(b.right(), 0) + ")";
            case MAX -> maximum(b, "max(" + of(b.left(), 0) + ", " + of(b.right(), 0) + ")");
            case AND, OR, XOR, SHL, SHR -> wrap(BITS, context, of(b.left(), UNARY) + symbol + of(b.right(), UNARY));
        };
    }

    /** Hidden from the compiler where it might bound a minimum, like that of values: see {@link IntegerText#chosen}. */
    private static String maximum(Expr.Binary b, String text) {
        return b.type() == IntType.S32 && (mayBeMinimum(b.left()) || mayBeMinimum(b.right()))
                ? "(int)__byte_perm(" + text + ", 0, 0x3210)" : text;
    }

    private static boolean mayBeMinimum(Expr e) {
        return switch (e) {
            case Expr.Binary b -> b.op() == Expr.Op.MIN;
            case Expr.Convert c -> mayBeMinimum(c.value());
            case Expr.Named _, Expr.Var _, Expr.Select _, Expr.OfValue _ -> true;
            default -> false;
        };
    }

    private static String wrap(int strength, int context, String text) {
        return strength < context ? "(" + text + ")" : text;
    }
}

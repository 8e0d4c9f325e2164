package dev.tilewright.emit;

import java.math.BigInteger;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Evaluates the text of a C++ expression with C++'s own precedence, types and conversions, and knows nothing of the
 * trees that the text was printed from. Signed overflow, division by zero, wild shifts and narrowing that loses
 * something throw {@link ArithmeticException}; text that is no such expression throws {@link IllegalArgumentException}.
 *
 * <p>The grammar is that of [expr] in the standard, as far as integers go: one method for each level, weakest first.
 */
final class CEvaluator {

    /** C++ types; the order is that of the usual arithmetic conversions. */
    enum Type { BOOL, INT, UNSIGNED, LONG_LONG }

    /** A typed value. */
    record Value(Type type, BigInteger number) {
        static Value of(boolean truth) {
            return new Value(Type.BOOL, truth ? BigInteger.ONE : BigInteger.ZERO);
        }

        boolean truth() {
            return number.signum() != 0;
        }
    }

    private static final Pattern TOKEN =
            Pattern.compile("\\s*([0-9]+(?:LL)?|[a-zA-Z_][a-zA-Z0-9_.]*|&&|==|!=|<=|>=|<<|>>|[-+*/%&|^<>?:(),])");

    private final String text;
    private final Map<String, Value> names;
    private final Matcher matcher;
    private String token;
    /** Where the token ends. */
    private int end;
    /** Above zero where an operand is only read over: the side of ?: or && that is not evaluated. */
    private int skipping;

    private CEvaluator(String text, Map<String, Value> names) {
        this.text = text;
        this.names = names;
        this.matcher = TOKEN.matcher(text);
        advance();
    }

    /** The value of the text, given the values of the names in it. */
    static Value evaluate(String text, Map<String, Value> names) {
        CEvaluator e = new CEvaluator(text, names);
        Value value = e.conditional();
        if (!e.token.isEmpty()) {
            throw e.wrong("is left over");
        }
        return value;
    }

    private Value conditional() {
        Value condition = logicalAnd();
        if (!accept("?")) {
            return condition;
        }
        boolean yes = condition.truth();
        Value first = skippingIf(!yes, this::conditional);
        expect(":");
        Value second = skippingIf(yes, this::conditional);
        return converted(yes ? first : second, common(first.type, second.type));
    }

    private Value logicalAnd() {
        Value left = bitOr();
        while (accept("&&")) {
            boolean done = !left.truth();
            Value right = skippingIf(done, this::bitOr);
            left = Value.of(!done && right.truth());
        }
        return left;
    }

    private Value bitOr() {
        Value left = bitXor();
        while (accept("|")) {
            Value right = bitXor();
            left = result(left, right, left.number.or(right.number));
        }
        return left;
    }

    private Value bitXor() {
        Value left = bitAnd();
        while (accept("^")) {
            Value right = bitAnd();
            left = result(left, right, left.number.xor(right.number));
        }
        return left;
    }

    private Value bitAnd() {
        Value left = equality();
        while (accept("&")) {
            Value right = equality();
            left = result(left, right, left.number.and(right.number));
        }
        return left;
    }

    private Value equality() {
        Value left = relation();
        while (true) {
            if (accept("==")) {
                left = Value.of(compare(left, relation()) == 0);
            } else if (accept("!=")) {
                left = Value.of(compare(left, relation()) != 0);
            } else {
                return left;
            }
        }
    }

    private Value relation() {
        Value left = shift();
        while (true) {
            if (accept("<")) {
                left = Value.of(compare(left, shift()) < 0);
            } else if (accept("<=")) {
                left = Value.of(compare(left, shift()) <= 0);
            } else if (accept(">")) {
                left = Value.of(compare(left, shift()) > 0);
            } else if (accept(">=")) {
                left = Value.of(compare(left, shift()) >= 0);
            } else {
                return left;
            }
        }
    }

    private Value shift() {
        Value left = sum();
        while (true) {
            if (accept("<<")) {
                Value distance = distance(left, sum());
                left = result(left, left, left.number.shiftLeft(distance.number.intValue()));
            } else if (accept(">>")) {
                Value distance = distance(left, sum());
                left = result(left, left, left.number.shiftRight(distance.number.intValue()));
            } else {
                return left;
            }
        }
    }

    private Value distance(Value left, Value right) {
        int width = promoted(left.type) == Type.LONG_LONG ? 64 : 32;
        if (right.number.signum() < 0 || right.number.compareTo(BigInteger.valueOf(width)) >= 0) {
            return undefined(right.type, "shift");
        }
        return right;
    }

    private Value sum() {
        Value left = product();
        while (true) {
            if (accept("+")) {
                Value right = product();
                left = result(left, right, left.number.add(right.number));
            } else if (accept("-")) {
                Value right = product();
                left = result(left, right, left.number.subtract(right.number));
            } else {
                return left;
            }
        }
    }

    private Value product() {
        Value left = unary();
        while (true) {
            if (accept("*")) {
                Value right = unary();
                left = result(left, right, left.number.multiply(right.number));
            } else if (accept("/")) {
                Value right = unary();
                left = result(left, right, quotient(left, right));
            } else if (accept("%")) {
                Value right = unary();
                Value quotient = result(left, right, quotient(left, right));
                left = result(left, right, left.number.subtract(quotient.number.multiply(right.number)));
            } else {
                return left;
            }
        }
    }

    private BigInteger quotient(Value left, Value right) {
        return right.number.signum() == 0 ? undefined(left.type, "division by zero").number
                : left.number.divide(right.number);
    }

    private Value unary() {
        if (accept("-")) {
            Value value = unary();
            return result(value, value, value.number.negate());
        }
        if (token.equals("(") && nextIsType()) {
            advance();
            Type type = type();
            expect(")");
            return converted(unary(), type);
        }
        return primary();
    }

    private boolean nextIsType() {
        return text.startsWith("int)", end) || text.startsWith("long long)", end);
    }

    private Type type() {
        if (accept("int")) {
            return Type.INT;
        }
        expect("long");
        expect("long");
        return Type.LONG_LONG;
    }

    private Value primary() {
        String t = token;
        if (accept("(")) {
            Value value = conditional();
            expect(")");
            return value;
        }
        advance();
        if (t.isEmpty()) {
            throw wrong("is where a value should be");
        }
        if (Character.isDigit(t.charAt(0))) {
            return literal(t);
        }
        if (t.equals("min") || t.equals("max")) {
            return extreme(t.equals("min"));
        }
        if (t.equals("__byte_perm")) {
            return sameBytes();
        }
        Value value = names.get(t);
        if (value == null) {
            throw new IllegalArgumentException("unknown name " + t + " in " + text);
        }
        return value;
    }

    private Value literal(String t) {
        boolean wide = t.endsWith("LL");
        BigInteger number = new BigInteger(wide ? t.substring(0, t.length() - 2) : t);
        if (number.bitLength() > (wide ? 63 : 31)) {
            throw new IllegalArgumentException(t + " has another type than it should, in " + text);
        }
        return new Value(wide ? Type.LONG_LONG : Type.INT, number);
    }

    /** CUDA's min and max are overloaded: arguments of two types are ambiguous or change type. */
    private Value extreme(boolean smaller) {
        expect("(");
        Value a = conditional();
        expect(",");
        Value b = conditional();
        expect(")");
        if (a.type != b.type || a.type == Type.BOOL) {
            throw new IllegalArgumentException("min or max of " + a.type + " and " + b.type + " in " + text);
        }
        return a.number.compareTo(b.number) < 0 == smaller ? a : b;
    }

    /** The bytes of a number in the order that they have; an unsigned, which is to be converted at once. */
    private Value sameBytes() {
        expect("(");
        Value a = conditional();
        for (String t : ", 0 , 0 x3210 )".split(" ")) {
            expect(t);
        }
        if (a.type != Type.INT) {
            throw new IllegalArgumentException("bytes of " + a.type + " in " + text);
        }
        return new Value(Type.UNSIGNED, a.number);
    }

    private int compare(Value left, Value right) {
        common(left.type, right.type);
        return left.number.compareTo(right.number);
    }

    private Value result(Value left, Value right, BigInteger number) {
        return checked(common(left.type, right.type), number);
    }

    private Value converted(Value value, Type type) {
        return checked(type, value.number);
    }

    private Value checked(Type type, BigInteger number) {
        return number.bitLength() < (type == Type.LONG_LONG ? 64 : 32) ? new Value(type, number)
                : undefined(type, "overflow");
    }

    private Value undefined(Type type, String what) {
        if (skipping > 0) {
            return new Value(type, BigInteger.ONE);
        }
        throw new ArithmeticException(what + " in " + text);
    }

    /** The type that two operands take on. Unsigned must never get that far: a comparison with it lies about signs. */
    private Type common(Type a, Type b) {
        if (a == Type.UNSIGNED || b == Type.UNSIGNED) {
            throw new IllegalArgumentException("unsigned arithmetic in " + text);
        }
        return promoted(a) == Type.LONG_LONG || promoted(b) == Type.LONG_LONG ? Type.LONG_LONG : Type.INT;
    }

    private static Type promoted(Type type) {
        return type == Type.BOOL ? Type.INT : type;
    }

    private Value skippingIf(boolean skip, Supplier<Value> part) {
        skipping += skip ? 1 : 0;
        try {
            return part.get();
        } finally {
            skipping -= skip ? 1 : 0;
        }
    }

    private boolean accept(String wanted) {
        boolean there = token.equals(wanted);
        if (there) {
            advance();
        }
        return there;
    }

    private void expect(String wanted) {
        if (!accept(wanted)) {
            throw wrong("stands where '" + wanted + "' should");
        }
    }

    private void advance() {
        if (text.substring(end).isBlank()) {
            token = "";
        } else if (matcher.find(end) && matcher.start() == end) {
            token = matcher.group(1);
            end = matcher.end();
        } else {
            throw new IllegalArgumentException("no C++ from character " + end + ": " + text);
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("'" + token + "' " + what + ": " + text);
    }

    /** The names that generated code uses for thread, block and grid; they are unsigned there. */
    static Map.Entry<String, Value> unsigned(String name, long value) {
        return Map.entry(name, new Value(Type.UNSIGNED, BigInteger.valueOf(value)));
    }
}

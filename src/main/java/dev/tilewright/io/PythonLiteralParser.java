package dev.tilewright.io;

import java.math.BigInteger;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one {@link PythonLiteral}: the part of Python's {@code ast.literal_eval} that NumPy's headers need. Strings
 * with either quote, {@code True}, {@code False}, {@code None}, decimal integers (with the {@code L} that Python 2
 * added), tuples, lists and dictionaries with string keys, commas after the last item, and white space.
 *
 * <p>It trusts nothing: nesting and numbers have a limit, so that no text makes it overflow its stack or spend long.
 */
final class PythonLiteralParser {

    private static final int MAX_DEPTH = 32;

    /** Python's own limit for converting text to an integer ({@code sys.get_int_max_str_digits()}). */
    private static final int MAX_DIGITS = 4300;

    private final String text;
    private int at;

    private PythonLiteralParser(String text) {
        this.text = text;
    }

    /**
     * Parses a text that is one literal.
     *
     * @throws ParseException if it is not one literal; the message says what is wrong, the offset where
     */
    static PythonLiteral parse(String text) throws ParseException {
        PythonLiteralParser parser = new PythonLiteralParser(text);
        PythonLiteral value = parser.value(0);
        parser.peek();
        if (parser.at < text.length()) {
            throw parser.wrong("nothing more");
        }
        return value;
    }

    private PythonLiteral value(int depth) throws ParseException {
        if (depth > MAX_DEPTH) {
            throw new ParseException("more than " + MAX_DEPTH + " levels of brackets", at);
        }
        char c = peek();
        return switch (c) {
            case '\'', '"' -> new PythonLiteral.Text(string());
            case '(' -> parenthesised(depth);
            case '[' -> {
                at++;
                List<PythonLiteral> items = new ArrayList<>();
                items(items, ']', depth);
                yield new PythonLiteral.Sequence(List.copyOf(items));
            }
            case '{' -> dict(depth);
            default -> {
                if (c == '-' || c == '+' || isDigit(c)) {
                    yield integer();
                }
                yield word();
            }
        };
    }

    /** A tuple, or just a value in parentheses: it is the comma that makes a tuple. */
    private PythonLiteral parenthesised(int depth) throws ParseException {
        at++;
        List<PythonLiteral> items = new ArrayList<>();
        boolean comma = items(items, ')', depth);
        return items.size() == 1 && !comma ? items.get(0) : new PythonLiteral.Tuple(List.copyOf(items));
    }

    /** Reads items up to and with the closing bracket; tells whether a comma followed the last one. */
    private boolean items(List<PythonLiteral> items, char close, int depth) throws ParseException {
        boolean comma = false;
        while (peek() != close) {
            if (!items.isEmpty() && !comma) {
                throw wrong("',' or '" + close + "'");
            }
            items.add(value(depth + 1));
            comma = skip(',');
        }
        at++;
        return comma;
    }

    private PythonLiteral dict(int depth) throws ParseException {
        at++;
        Map<String, PythonLiteral> entries = new LinkedHashMap<>();
        boolean comma = true;
        while (peek() != '}') {
            if (!comma) {
                throw wrong("',' or '}'");
            }
            char quote = peek();
            if (quote != '\'' && quote != '"') {
                throw wrong("a key in quotes");
            }
            int keyAt = at;
            String key = string();
            if (!skip(':')) {
                throw wrong("':'");
            }
            if (entries.put(key, value(depth + 1)) != null) {
                throw new ParseException("the key " + new PythonLiteral.Text(key) + " stands twice", keyAt);
            }
            comma = skip(',');
        }
        at++;
        return new PythonLiteral.Dict(entries);
    }

    private String string() throws ParseException {
        int start = at;
        char quote = text.charAt(at++);
        StringBuilder value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '\n') {
            char c = text.charAt(at++);
            if (c == quote) {
                return value.toString();
            }
            value.append(c == '\\' && at < text.length() ? escaped() : String.valueOf(c));
        }
        throw new ParseException("a string without its closing " + quote, start);
    }

    /** The escapes that a name can need; others are kept as written, backslash included, as in Python. */
    private String escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case '\\', '\'', '"' -> String.valueOf(c);
            case 'n' -> "\n";
            case 'r' -> "\r";
            case 't' -> "\t";
            default -> "\\" + c;
        };
    }

    private PythonLiteral integer() throws ParseException {
        int start = at;
        if (text.charAt(at) == '-' || text.charAt(at) == '+') {
            at++;
        }
        int digits = at;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        if (at == digits) {
            throw wrong("a digit");
        }
        if (at - digits > MAX_DIGITS) {
            throw new ParseException("a number of more than " + MAX_DIGITS + " digits", start);
        }
        PythonLiteral value = new PythonLiteral.Int(new BigInteger(text.substring(start, at)));
        if (at < text.length() && (text.charAt(at) == 'L' || text.charAt(at) == 'l')) {
            at++;
        }
        return value;
    }

    private PythonLiteral word() throws ParseException {
        int start = at;
        while (at < text.length() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        String word = text.substring(start, at);
        at = start;
        PythonLiteral value = switch (word) {
            case "True" -> new PythonLiteral.Bool(true);
            case "False" -> new PythonLiteral.Bool(false);
            case "None" -> new PythonLiteral.None();
            default -> throw wrong("a value");
        };
        at += word.length();
        return value;
    }

    private boolean skip(char c) {
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    /** Skips white space and gives the next character; at the end one that no literal begins with. */
    private char peek() {
        while (at < text.length() && " \t\r\n\f".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private ParseException wrong(String expected) {
        String found = at >= text.length() ? "the end" : "'" + PythonLiteral.printable(text.charAt(at)) + "'";
        return new ParseException("expected " + expected + ", found " + found, at);
    }
}

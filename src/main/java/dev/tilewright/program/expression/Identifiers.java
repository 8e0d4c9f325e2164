package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules for names and comments in a tile program, which appear unchanged in generated code. */
public final class Identifiers {
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z][a-z0-9_]{0,62}");
    /** Keywords and alternative tokens of C++20 (N4861, [lex.key] and [lex.digraph]). */
    private static final Set<String> KEYWORDS = Set.of("alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand",
            "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await",
            "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
            "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
            "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
            "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
            "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof",
            "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
            "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
            "volatile", "wchar_t", "while", "xor", "xor_eq");
    private Identifiers() { }

    /** Refuses a text that is not a name. */
    public static void require(String name) {
        Objects.requireNonNull(name, "name");
        if (!IDENTIFIER.matcher(name).matches() || KEYWORDS.contains(name)) {
            throw new IllegalArgumentException("'" + name
                    + "' cannot be a name: use a lower-case letter, then up to 62 of them, digits and _, and no C++ "
                    + "keyword");
        }
    }

    /** Refuses what would not stay in one comment line of generated code. */
    public static void requireOneLine(String what, String text) {
        NotNull.all("what, text", what, text);
        if (text.isBlank() || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0
                || text.stripTrailing().endsWith("\\")) {
            throw new IllegalArgumentException(what + " is one line of text, got '" + text + "'");
        }
    }
}

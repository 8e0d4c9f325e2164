package dev.tilewright.program;

import java.util.Set;
import java.util.regex.Pattern;

/** What names in a tile program must look like, so that they stand unchanged in generated code. */
final class Names {
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z][a-z0-9_]{0,62}");
    private static final Set<String> TAKEN = Set.of("auto", "bool", "break", "case", "char", "class", "const",
            "continue", "default", "delete", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if",
            "inline", "int", "long", "new", "operator", "private", "public", "register", "return", "short", "signed",
            "sizeof", "static", "struct", "switch", "template", "this", "typedef", "union", "unsigned", "using",
            "virtual", "void", "volatile", "while", "shared_memory", "shared_base", "min", "max", "asm");

    private Names() {
    }

    static void require(String name) {
        if (!IDENTIFIER.matcher(name).matches() || TAKEN.contains(name)) {
            throw new IllegalArgumentException("'" + name
                    + "' cannot be a name: use lower-case letters, digits and _, and no C++ keyword");
        }
    }
}

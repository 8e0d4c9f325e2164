package dev.tilewright.emit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The names in generated code. Each declaration has the name that the program gives it, or, where another one of that
 * name is visible, that name followed by a number: so a program may use a name again, and need not know the names that
 * generated code needs for itself.
 */
final class NameScope {
    /** Functions and memory of generated code that are called by a plain name. */
    private static final Set<String> OWN = Set.of("make_ulonglong2", "max", "min",
            "shared_memory", "__cluster_map_shared_rank");
    /** Its namespaces, which a variable does not hide where two colons follow. */
    private static final Set<String> NAMESPACES = Set.of("function", "ptx", "value");

    private final Map<Object, String> names = new HashMap<>();
    private final Set<String> taken = new HashSet<>();
    /** What each open block has defined, the innermost first. */
    private final Deque<Deque<Runnable>> open = new ArrayDeque<>();

    /** A scope for what stands outside of functions. */
    NameScope() {
        enter();
        taken.addAll(OWN);
        taken.addAll(NAMESPACES);
        taken.addAll(CompilerNames.ALL);
    }

    /** A scope within another one, for a separate function, whose names hide the compiler's own. */
    NameScope(NameScope outer) {
        this();
        names.putAll(outer.names);
        taken.addAll(outer.taken);
        taken.removeAll(NAMESPACES);
        taken.removeAll(CompilerNames.ALL);
        taken.addAll(OWN);
    }

    /** What is defined from here on is gone with {@link #leave}. */
    void enter() {
        open.push(new ArrayDeque<>());
    }

    void leave() {
        open.pop().forEach(Runnable::run);
    }

    /** Names a declaration. @param wanted the name that it has where that is free */
    String define(Object thing, String wanted) {
        String name = reserve(wanted);
        String hidden = names.put(thing, name);
        open.peek().push(() -> {
            if (hidden == null) {
                names.remove(thing);
            } else {
                names.put(thing, hidden);
            }
        });
        return name;
    }

    /** A name for something that the program does not know of. */
    String reserve(String wanted) {
        String name = wanted;
        for (int n = 2; !taken.add(name); n++) {
            name = wanted + "_" + n;
        }
        String reserved = name;
        open.peek().push(() -> taken.remove(reserved));
        return name;
    }

    /** Whether something was defined. */
    boolean has(Object thing) {
        return names.containsKey(thing);
    }

    /** The name of something that was defined. */
    String of(Object thing) {
        String name = names.get(thing);
        if (name == null) {
            throw new IllegalStateException("nothing is defined here as " + thing);
        }
        return name;
    }
}

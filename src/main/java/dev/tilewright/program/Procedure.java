package dev.tilewright.program;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Identifiers;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Steps that a kernel performs in several places, written once: a {@code __device__} function in generated code. They
 * see the kernel's parameters and shared memory, and of variables their own and the procedure's parameters alone.
 *
 * @param name the function's name
 * @param purpose one line for people
 * @param parameters variables that the steps see, each a value of the caller's
 */
public record Procedure(String name, String purpose, List<Expr.Var> parameters, List<Step> body) {
    /** Procedures that were found equal in the comparison that is under way. */
    private static final ThreadLocal<Map<Procedure, Procedure>> EQUAL = new ThreadLocal<>();

    public Procedure {
        NotNull.all("name, purpose, parameters, body", name, purpose, parameters, body);
        Identifiers.require(name);
        Identifiers.requireOneLine("a procedure's purpose", purpose);
        parameters = List.copyOf(parameters);
        body = List.copyOf(body);
        Set<String> names = new HashSet<>();
        for (Expr.Var p : parameters) {
            if (!names.add(p.name())) {
                throw new IllegalArgumentException("procedure '" + name + "' has two parameters named '" + p.name()
                        + "'");
            }
        }
    }

    /** A procedure whose steps the given code adds. */
    public static Procedure of(String name, String purpose, List<Expr.Var> parameters, Consumer<Body> code) {
        NotNull.all("name, purpose, parameters, code", name, purpose, parameters, code);
        return new Procedure(name, purpose, parameters, Body.steps(code));
    }

    /** Each pair is compared once: procedures call others, each of which may be called in many places. */
    @Override
    public boolean equals(Object o) {
        if (this == o || !(o instanceof Procedure other)) {
            return this == o;
        }
        boolean outermost = EQUAL.get() == null;
        if (outermost) {
            EQUAL.set(new IdentityHashMap<>());
        }
        try {
            boolean equal = EQUAL.get().get(this) == other || name.equals(other.name) && purpose.equals(other.purpose)
                    && parameters.equals(other.parameters) && body.equals(other.body);
            if (equal) {
                EQUAL.get().put(this, other);
            }
            return equal;
        } finally {
            if (outermost) {
                EQUAL.remove();
            }
        }
    }

    /** Hashes the name alone, for the same reason. */
    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** The procedure's name and parameters, without its steps: {@link TileProgram#toString} prints those once. */
    @Override
    public String toString() {
        return "procedure '" + name + "' of " + parameters.stream().map(Expr.Var::name).toList() + ": " + purpose;
    }

    /** Refuses values that its parameters cannot take. */
    void requireArguments(List<Expr> arguments) {
        if (arguments.size() != parameters.size()) {
            throw new IllegalArgumentException("procedure '" + name + "' takes "
                    + Counted.of(parameters.size(), "value") + " "
                    + parameters.stream().map(Expr.Var::name).toList() + ", got " + arguments.size());
        }
        for (int i = 0; i < arguments.size(); i++) {
            Expr.Var p = parameters.get(i);
            if (arguments.get(i).type() != p.type()) {
                throw new IllegalArgumentException("parameter '" + p.name() + "' of procedure '" + name + "' has type "
                        + p.type() + ", its value has type " + arguments.get(i).type());
            }
        }
    }
}

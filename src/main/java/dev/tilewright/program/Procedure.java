package dev.tilewright.program;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.commons.lang3.Validate;

/**
 * Steps that a kernel performs in several places, written once: a {@code __device__} function in generated code. They
 * see the kernel's parameters and shared memory, and of variables their own and the procedure's parameters alone.
 *
 * @param name the function's name
 * @param purpose one line for people
 * @param parameters variables that the steps see, each a value of the caller's
 */
public record Procedure(String name, String purpose, List<Expr.Var> parameters, List<Step> body) {
    public Procedure {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(purpose, "purpose");
        Objects.requireNonNull(parameters, "parameters");
        Objects.requireNonNull(body, "body");
        Identifiers.require(name);
        Step.requireOneLine("a procedure's purpose", purpose);
        parameters = List.copyOf(Validate.noNullElements(parameters, "parameters: element %d is null"));
        body = List.copyOf(Validate.noNullElements(body, "body: element %d is null"));
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
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(purpose, "purpose");
        Objects.requireNonNull(parameters, "parameters");
        Objects.requireNonNull(code, "code");
        return new Procedure(name, purpose, parameters, Body.steps(code));
    }

    /** Refuses values that its parameters cannot take. */
    void requireArguments(List<Expr> arguments) {
        if (arguments.size() != parameters.size()) {
            throw new IllegalArgumentException("procedure '" + name + "' takes " + parameters.size() + " values "
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

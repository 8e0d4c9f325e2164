package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The operation of a kernel on elements: a function from the elements at one place of one or several arrays to the
 * result's element there. {@link #COPY}, {@link #SCALE} and {@link #ADD} are there; any other is a function of
 * {@linkplain Value values}:
 *
 * {@snippet :
 * Value bias = new Parameter.Scalar("bias", ElementType.F32).value();
 * ElementStep step = ElementStep.of(x -> x.times(2).plus(bias).max(0)).named("scaled_and_clipped");
 * }
 *
 * <p>CUDA and Java agree on every bit:
 * <ul>
 * <li>f16 and bf16 are widened to f32, which is exact, so that the function is given values of type f32; every other
 *     element
 * is a value of its own type. What it returns is converted to the type of the result's elements, rounded to nearest
 * even once: {@link Value#to(ValueType)};</li>
 * <li>what values do in between, {@link Value} says: integers wrap around; floats round to nearest even, subnormals
 *     kept,
 * never contracted into a fused multiply-add;</li>
 * <li>a NaN that is computed, or converted, is one fixed NaN: 0x7FFF for f16 and bf16, 0x7FFFFFFF for f32 (what the
 * hardware makes of every NaN), 0x7FFFFFFFFFFFFFFF for f64 (chosen to match; hardware would keep a payload). What is
 * only moved, as by COPY, keeps its bits, and so do those of a bf16 in the upper half of an f32.</li>
 * </ul>
 *
 * <p>Scalars are those parameters that the function's values have in them; a launch gives each by its name.
 */
public final class ElementStep {
    /** Arrays that a step can take at most. */
    public static final int MOST_INPUTS = 8;

    /** The bits unchanged, NaNs included; to another type, the number converted. */
    public static final ElementStep COPY = new ElementStep("copy", "the element", 1, List::getFirst);
    /** The element times the scalar, a parameter named {@code scalar}. */
    public static final ElementStep SCALE = new ElementStep("scale", "the element times the scalar", 1,
            x -> x.getFirst().times(scalarFor(x.getFirst())));
    /** The element plus the scalar, a parameter named {@code scalar}. */
    public static final ElementStep ADD = new ElementStep("add", "the element plus the scalar", 1,
            x -> x.getFirst().plus(scalarFor(x.getFirst())));
    /** The steps that have a name: copy, scale and add. */
    public static final List<ElementStep> CONSTANTS = List.of(COPY, SCALE, ADD);

    private static final List<String> INPUT_NAMES = List.of("x", "y", "z");

    private final String name;
    private final String purpose;
    private final int inputs;
    private final Function<List<Value>, Value> code;

    private ElementStep(String name, String purpose, int inputs, Function<List<Value>, Value> code) {
        this.name = name;
        this.purpose = purpose;
        this.inputs = inputs;
        this.code = code;
    }

    private static Value scalarFor(Value x) {
        return new Parameter.Scalar("scalar", x.type().element().orElseThrow()).value();
    }

    /** A function of one array's element. */
    public static ElementStep of(UnaryOperator<Value> code) {
        Objects.requireNonNull(code, "code");
        return of(1, x -> code.apply(x.getFirst()));
    }

    /** A function of the elements of two arrays. */
    public static ElementStep of(BinaryOperator<Value> code) {
        Objects.requireNonNull(code, "code");
        return of(2, x -> code.apply(x.getFirst(), x.getLast()));
    }

    /**
     * A function of the elements of several arrays.
     *
     * @param inputs how many, 1 to {@value #MOST_INPUTS}
     */
    public static ElementStep of(int inputs, Function<List<Value>, Value> code) {
        Objects.requireNonNull(code, "code");
        if (inputs < 1 || inputs > MOST_INPUTS) {
            throw new IllegalArgumentException("a step takes the elements of 1 to " + MOST_INPUTS + " arrays, got "
                    + inputs);
        }
        return new ElementStep("step", "the result's element", inputs, code);
    }

    /** This step with a name of its own, which generated code and descriptions have: a lower-case letter, then more. */
    public ElementStep named(String newName) {
        Objects.requireNonNull(newName, "newName");
        Identifiers.require(newName);
        return new ElementStep(newName, purpose, inputs, code);
    }

    /** The name: {@code step} where none was given. */
    public String name() {
        return name;
    }

    /** How many arrays it takes elements of. */
    public int inputs() {
        return inputs;
    }

    /** The predefined step of this name, in any case. */
    public static Optional<ElementStep> constant(String name) {
        Objects.requireNonNull(name, "name");
        return CONSTANTS.stream().filter(step -> step.name.equalsIgnoreCase(name.trim())).findFirst();
    }

    /** The type that elements of this type are computed in, and scalars have by themselves. */
    public static ElementType scalarType(ElementType element) {
        Objects.requireNonNull(element, "element");
        return element == ElementType.F16 || element == ElementType.BF16 ? ElementType.F32 : element;
    }

    /** Whether the result has the elements' bits as they are. */
    public boolean keepsBits(ElementType from, ElementType to) {
        NotNull.all("from, to", from, to);
        return this == COPY && from == to;
    }

    /**
     * The step for elements of a type.
     *
     * @param function from the elements, as values of their own type, and then the scalars, to the result's element
     * @param scalars what the launch gives, in the order in which the function takes them
     */
    public record Typed(ValueFunction function, List<Parameter.Scalar> scalars) {
        public Typed {
            NotNull.all("function, scalars", function, scalars);
            scalars = List.copyOf(scalars);
        }

        /**
         * The result for these elements.
         *
         * @param elements one of each array, of their own type
         */
        public Value of(List<Value> elements) {
            NotNull.all("elements", elements);
            List<Value> arguments = new ArrayList<>(elements);
            scalars.forEach(scalar -> arguments.add(scalar.value()));
            return function.of(arguments.toArray(Value[]::new));
        }
    }

    /**
     * The step for elements of these types.
     *
     * @param from type of the arrays' elements
     * @param to type of the result's
     * @throws IllegalArgumentException if the function does not suit them; the message says why
     */
    public Typed typed(ElementType from, ElementType to) {
        NotNull.all("from, to", from, to);
        List<Register> parameters = new ArrayList<>();
        List<ValueFunction.Let> lets = new ArrayList<>();
        List<Value> arguments = new ArrayList<>();
        ValueType stored = ValueType.of(from);
        ValueType computed = ValueType.of(scalarType(from));
        for (int i = 0; i < inputs; i++) {
            String letter = inputs <= INPUT_NAMES.size() ? INPUT_NAMES.get(i) : "x" + i;
            Register element = new Register(letter, stored, 1, i);
            parameters.add(element);
            if (stored == computed) {
                arguments.add(element.get());
            } else {
                Register wide = new Register("wide_" + letter, computed, 1, i);
                lets.add(new ValueFunction.Let(wide, element.get().to(computed)));
                arguments.add(wide.get());
            }
        }
        Value result = Objects.requireNonNull(code.apply(List.copyOf(arguments)), () -> title() + " returns null");
        Map<Parameter.Scalar, Register> scalars = new LinkedHashMap<>();
        Value body = ValueRewrite.of(result, part -> replaced(part, arguments, scalars)).to(ValueType.of(to));
        parameters.addAll(scalars.values());
        String function = name + "_" + from + (from == to ? "" : "_to_" + to);
        return new Typed(new ValueFunction(function, purpose + rule(from, to), parameters, lets, body),
                List.copyOf(scalars.keySet()));
    }

    /** What a part of the function's value becomes, where it does not stay as it is. */
    private Optional<Value> replaced(Value part, List<Value> arguments, Map<Parameter.Scalar, Register> scalars) {
        return switch (part) {
            case Value.Scalar(Parameter.Scalar scalar) -> {
                scalars.keySet().stream().filter(s -> s.name().equals(scalar.name()) && !s.equals(scalar)).findFirst()
                        .ifPresent(s -> {
                            throw new IllegalArgumentException(title() + " has two scalars named '" + s.name() + "', "
                                    + "of types " + s.type() + " and " + scalar.type() + ": name one otherwise");
                        });
                yield Optional.of(scalars.computeIfAbsent(scalar, s -> new Register(s.name(), ValueType.of(s.type()), 1,
                        INPUTS_END + scalars.size())).get());
            }
            case Value.Element e when !arguments.contains(e) -> throw new IllegalArgumentException(title()
                    + " reads '" + e.register().name() + "': a step computes with the elements that it is given, "
                    + "constants and scalars alone");
            case Value.Index _ -> throw new IllegalArgumentException(title()
                    + " has an index expression in it: a step computes with elements, constants (Value.i32, Value.f32) "
                    + "and scalars alone, the same at every place");
            default -> Optional.empty();
        };
    }

    /** Where the numbers of scalars' registers begin. */
    private static final int INPUTS_END = MOST_INPUTS;

    private String rule(ElementType from, ElementType to) {
        String computed = scalarType(from) == from ? "" : ", computed in " + scalarType(from);
        return from == to && computed.isEmpty() ? "" : computed + ", as " + to;
    }

    private String title() {
        return "the step '" + name + "'";
    }

    @Override
    public String toString() {
        return name;
    }
}

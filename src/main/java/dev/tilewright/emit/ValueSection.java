package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.expression.ValueSearch;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints what values need outside of the kernel: a function for each operation that is more than one intrinsic
 * (namespace {@code value}), one for each width of access that moves several values, and the functions of values
 * (namespace {@code function}).
 */
final class ValueSection {
    /** The namespace of functions of values. */
    static final String FUNCTIONS = "function";
    /** The namespace of operations on values. */
    static final String OPERATIONS = "value";

    private final StepNumbers numbers;
    private final NameScope file;
    private final ValueFunctions functions;
    private final CodeWriter out;
    /** Each before the first that calls it. */
    private final Set<ValueFunction> called = new LinkedHashSet<>();

    ValueSection(StepNumbers numbers, NameScope file, ValueFunctions functions, CodeWriter out) {
        this.numbers = numbers;
        this.file = file;
        this.functions = functions;
        this.out = out;
    }

    /** @param matter registers of which it matters which NaN they have, see {@link NanBits} */
    void write(Set<Register> matter) {
        TreeMap<String, List<String>> accesses = new TreeMap<>();
        for (Step step : numbers.all()) {
            if (RoundedBytes.isIn(step.operation())) {
                Operation.StoreValues s = (Operation.StoreValues) step.operation();
                s.parts().forEach(part -> NanBits.walk(RoundedBytes.unrounded(part), true, this::note));
                accesses.putIfAbsent(RoundedBytes.store(s.type(), s.values().size()),
                        RoundedBytes.defineStore(s.type(), s.values().size()));
                continue;
            }
            NanBits.walk(step.operation(), matter, this::note);
            switch (step.operation()) {
                case Operation.LoadValues l when l.count() > 1 ->
                        accesses.putIfAbsent(VectorAccess.load(l.register().type(), l.count()),
                                VectorAccess.defineLoad(l.register().type(), l.count()));
                case Operation.StoreValues s when s.values().size() > 1 ->
                        accesses.putIfAbsent(VectorAccess.store(s.type(), s.values().size()),
                                VectorAccess.defineStore(s.type(), s.values().size()));
                default -> { }
            }
        }
        List<List<String>> definitions = functions.definitions();
        if (!definitions.isEmpty() || !accesses.isEmpty()) {
            out.line("namespace " + OPERATIONS + " {").line("");
            definitions.forEach(this::define);
            accesses.values().forEach(this::define);
            out.line("}  // namespace " + OPERATIONS).line("");
        }
        if (!called.isEmpty()) {
            out.line("namespace " + FUNCTIONS + " {").line("");
            called.forEach(this::define);
            out.line("}  // namespace " + FUNCTIONS).line("");
        }
    }

    private void define(List<String> lines) {
        lines.forEach(out::line);
        out.line("");
    }

    /** Notes what an operation needs. */
    private void note(Value value, boolean matters) {
        switch (value) {
            case Value.Compound _, Value.Approximate _ -> {
                String[] nothing = new String[value.parts().size()];
                Arrays.fill(nothing, "");
                ValueText.operation(functions, value, matters, nothing);
            }
            case Value.Call c -> note(c.function());
            case Value.Const _, Value.Index _, Value.Scalar _, Value.Element _ -> { }
        }
    }

    private void note(ValueFunction function) {
        if (!called.contains(function)) {
            Set<Register> matter = NanBits.within(function);
            function.lets().forEach(let -> NanBits.walk(let.value(), matter.contains(let.register()), this::note));
            NanBits.walk(function.result(), true, this::note);
            called.add(function);
        }
    }

    private static boolean reads(ValueFunction function, Register register) {
        return Stream.concat(function.lets().stream().map(ValueFunction.Let::value), Stream.of(function.result()))
                .anyMatch(value -> ValueSearch.any(value, v -> v instanceof Value.Element e
                && e.register().equals(register)));
    }

    private void define(ValueFunction function) {
        NameScope names = new NameScope(file);
        ValueText values = new ValueText(names, functions);
        Set<Register> matter = NanBits.within(function);
        String parameters = function.parameters().stream()
                .map(p -> "const " + ValueFunctions.cType(p.type()) + " " + names.define(p, p.name()))
                .collect(Collectors.joining(", "));
        out.line("// " + function.purpose());
        out.block("__device__ __forceinline__ " + ValueFunctions.cType(function.type()) + " " + function.name() + "("
                + parameters + ")", () -> {
            for (ValueFunction.Let let : function.lets()) {
                String value = values.of(let.value(), matter.contains(let.register()));
                out.line((reads(function, let.register()) ? "" : "[[maybe_unused]] ") + "const "
                        + ValueFunctions.cType(let.register().type()) + " "
                        + names.define(let.register(), let.register().name()) + " = " + value + ";");
            }
            out.line("return " + values.of(function.result()) + ";");
        });
        out.line("");
    }
}

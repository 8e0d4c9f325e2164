package dev.tilewright.ptx.form;

import dev.tilewright.ptx.Effects.Access;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Puts a {@link Form} together in the order in which PTX writes it. */
public final class FormBuilder {
    private final List<String> parts = new ArrayList<>();
    private final List<Operand> operands = new ArrayList<>();
    private final List<String> text = new ArrayList<>();
    private final List<String> listing = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();

    private Optional<String> name = Optional.empty();
    private String nameSuffix = "";

    private FormBuilder(String mnemonic) {
        parts.add(mnemonic);
    }

    public static FormBuilder form(String mnemonic) {
        return new FormBuilder(mnemonic);
    }

    public FormBuilder with(Qualifier qualifier) {
        return with(qualifier.text());
    }

    /** A qualifier that every form has, with its leading dot. */
    public FormBuilder with(String qualifier) {
        parts.add(qualifier);
        return this;
    }

    public FormBuilder withIf(boolean present, String qualifier) {
        return with(present ? qualifier : "");
    }

    /** An operand of its own: an address in brackets, or a register. */
    public FormBuilder operand(Operand operand) {
        return part(placeholder(operand), name(operand), List.of(operand));
    }

    /** An operand of its own, by its name and kind. */
    public FormBuilder operand(String operandName, Operand.Kind kind) {
        return operand(Operands.of(operandName, kind));
    }

    public FormBuilder operandIf(boolean present, Operand operand) {
        return present ? operand(operand) : this;
    }

    public FormBuilder operandIf(boolean present, String operandName, Operand.Kind kind) {
        return operandIf(present, Operands.of(operandName, kind));
    }

    /** Several registers in braces. */
    public FormBuilder vector(List<Operand> registers) {
        return part(braces(registers, FormBuilder::placeholder), braces(registers, FormBuilder::name), registers);
    }

    /** The registers of one operand, in braces. */
    public FormBuilder registers(Operand registers) {
        return vector(List.of(registers));
    }

    /** A tensor map and a vector of coordinates in brackets. */
    public FormBuilder tensor(Operand map, List<Operand> coordinates) {
        List<Operand> all = new ArrayList<>(List.of(map));
        all.addAll(coordinates);
        return part("[" + placeholder(map) + ", " + braces(coordinates, FormBuilder::placeholder) + "]",
                "[" + map.name() + ", " + braces(coordinates, FormBuilder::name) + "]", all);
    }

    /** Two results of one instruction, {@code value|predicate}. */
    public FormBuilder pair(Operand first, Operand second) {
        return part(placeholder(first) + "|" + placeholder(second), first.name() + "|" + second.name(),
                List.of(first, second));
    }

    /** Text that is part of the form: a size, the sink {@code _}. */
    public FormBuilder literal(String literal) {
        return part(literal, literal, List.of());
    }

    /** A number that says which form of the opcode it is; such numbers come last. */
    public FormBuilder flag(int value) {
        flags.add(Integer.toString(value));
        return literal(Integer.toString(value));
    }

    /** A text with operands in it. @param template with {@code %name%} for each operand */
    public FormBuilder mixed(String template, List<Operand> inside) {
        return part(template, template.replace("%", ""), inside);
    }

    /** Registers that the instruction is about without naming them. */
    public FormBuilder unnamed(Operand registers) {
        operands.add(registers);
        return this;
    }

    /** A number that is part of the instruction and free to choose. */
    public FormBuilder immediate(String name, int value) {
        return part(Integer.toString(value), name, List.of());
    }

    /** The name of the form's function in generated code; without this it is the opcode's text. */
    public FormBuilder named(String functionName) {
        name = Optional.of(functionName);
        return this;
    }

    /** What the opcode's text does not tell in the function's name. */
    public FormBuilder nameSuffix(boolean present, String suffix) {
        nameSuffix = present ? suffix : "";
        return this;
    }

    /** The form: what it needs, and what it does to memory before the next instruction. */
    public Form needs(Gate gate, Access... accesses) {
        return needs(gate, Completion.AT_ONCE, accesses);
    }

    /** The form: what it needs, and what it does to memory, and by when. */
    public Form needs(Gate gate, Completion completion, Access... accesses) {
        return needs(gate, EffectsBuilder.of(completion, accesses));
    }

    /** The form: what it needs, and what it does to memory. */
    public Form needs(Gate gate, EffectsBuilder effects) {
        String functionName = name.orElseGet(() -> String.join("", parts).replace("::", "_").replace('.', '_')
                .toLowerCase(Locale.ROOT)) + nameSuffix;
        return new Form(parts, operands, String.join(", ", text), String.join(", ", listing), functionName, flags, gate,
                effects.build());
    }

    private FormBuilder part(String forText, String forListing, List<Operand> inside) {
        text.add(forText);
        listing.add(forListing);
        operands.addAll(inside);
        return this;
    }

    private static String placeholder(Operand o) {
        return o.kind().bracketed() ? "[%" + o.name() + "%]" : "%" + o.name() + "%";
    }

    private static String name(Operand o) {
        return o.kind().bracketed() ? "[" + o.name() + "]" : o.name();
    }

    private static String braces(List<Operand> registers, Function<Operand, String> text) {
        return registers.stream().map(text).collect(Collectors.joining(", ", "{", "}"));
    }
}

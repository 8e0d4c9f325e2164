package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Prints the steps of one function, each under its comment. */
final class StepText {
    private final TileProgram program;
    private final CodeWriter out;
    private final EmitOptions options;
    private final NameScope names;
    private final ValueText values;
    private final ExprText expressions;
    private final StepNumbers numbers;
    /** For each step by its number, from 1, the line in which its statement begins. */
    private final int[] lines;
    private final Captures used;
    private final Set<Register> nanMatters;
    private final Optional<StampText> stamps;
    private int next;

    /**
     * @param used what the whole program uses
     * @param nanMatters registers of which it matters which NaN they have, see {@link NanBits}
     */
    StepText(TileProgram program, CodeWriter out, EmitOptions options, NameScope names, ValueFunctions functions,
            StepNumbers numbers, int[] lines, Captures used, Set<Register> nanMatters,
            Optional<StampText> stamps) {
        this.stamps = stamps;
        this.nanMatters = nanMatters;
        this.program = program;
        this.used = used;
        this.out = out;
        this.options = options;
        this.names = names;
        this.values = new ValueText(names, functions);
        this.expressions = values.expressions();
        this.numbers = numbers;
        this.lines = lines;
    }

    /** Writes a function's steps. @param first the number of the first of them */
    void write(List<Step> body, int first) {
        next = first;
        write(body);
    }

    private void write(List<Step> steps) {
        names.enter();
        for (Step step : steps) {
            step.comment().ifPresent(comment -> out.line("// " + comment));
            int number = next++;
            lines[number - 1] = out.lines() + 1;
            write(step.operation());
            if (TimeStamps.isStamped(step.operation())) {
                stamps.ifPresent(s -> s.ended(out, names, number));
            }
        }
        names.leave();
    }

    private void write(Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var v, Expr value) -> declare(v, expressions.of(value));
            case Operation.Loop loop -> write(loop);
            case Operation.While(Expr condition, List<Step> body) ->
                    out.block("while (" + expressions.of(condition) + ")", () -> write(body));
            case Operation.Break() -> out.line("break;");
            case Operation.Continue() -> out.line("continue;");
            case Operation.Declare declare -> write(declare);
            case Operation.Assign(Register register, Expr index, Value value) ->
                    out.line(values.element(register, index) + " = " + values.of(value, nanMatters.contains(register))
                            + ";");
            case Operation.LoadValues load -> write(load);
            case Operation.StoreValues store -> write(store);
            case Operation.Guard(Expr condition, List<Step> body, List<Step> otherwise) -> {
                out.block("if (" + expressions.of(condition) + ")", () -> write(body), otherwise.isEmpty()
                        ? "" : " else {");
                if (!otherwise.isEmpty()) {
                    out.indented(() -> write(otherwise));
                    out.line("}");
                }
            }
            case Operation.Call(Procedure procedure, List<Expr> arguments) -> call(procedure, arguments);
            case Operation.SyncThreads _ -> out.line("__syncthreads();");
            case Operation.Load(Fragment f, Address from) -> {
                String type = CudaEmitter.fragmentType(f);
                String source = pointer(from);
                out.line(mayBeUnused(f) + type + " " + names.define(f, f.name()) + " = *reinterpret_cast<const " + type
                        + "*>(" + source + ");");
            }
            case Operation.Store(Address to, Fragment f) -> out.line("*reinterpret_cast<" + CudaEmitter.fragmentType(f)
                    + "*>(" + pointer(to) + ") = " + names.of(f) + ";");
            case Operation.Issue issue -> write(issue);
            case Operation.Poll(PtxInstruction form, List<Input> inputs, Operation.Until until) -> {
                PtxInstruction spelled = options.spell(form);
                switch (until) {
                    case Operation.Until.Done() ->
                            out.line(call(InstructionSection.waitFunction(spelled), arguments(spelled, inputs)));
                    case Operation.Until.Holds(Expr.Var value, Expr condition) ->
                            poll(spelled, inputs, value, condition);
                }
            }
        }
    }

    /** What stands before a declaration of something that no step uses: compilers would warn of it. */
    private String mayBeUnused(Object thing) {
        return used.reads(thing) ? "" : "[[maybe_unused]] ";
    }

    private void declare(Expr.Var v, String value) {
        out.line(mayBeUnused(v) + "const " + ExprText.cType(v.type()) + " " + names.define(v, v.name()) + " = " + value
                + ";");
    }

    private void write(Operation.Declare declare) {
        Register register = declare.register();
        String type = ValueFunctions.cType(register.type());
        // The value is that of names which are visible before this one.
        String initial = declare.initial().map(value -> values.of(value, nanMatters.contains(register))).orElse("");
        String name = names.define(register, register.name());
        if (register.count() == 1) {
            out.line(mayBeUnused(register) + (declare.constant() ? "const " : "") + type + " " + name
                    + (initial.isEmpty() ? "" : " = " + initial) + ";");
            return;
        }
        out.line(mayBeUnused(register) + type + " " + name + "[" + register.count() + "];");
        if (!initial.isEmpty()) {
            names.enter();
            String k = names.reserve("k");
            out.line("#pragma unroll");
            out.line("for (int " + k + " = 0; " + k + " < " + register.count() + "; ++" + k + ") " + name + "[" + k
                    + "] = " + initial + ";");
            names.leave();
        }
    }

    private void write(Operation.LoadValues load) {
        String type = ValueFunctions.cType(load.register().type());
        String from = pointer(load.from());
        if (load.count() == 1) {
            out.line(values.element(load.register(), load.first()) + " = *reinterpret_cast<const " + type + "*>(" + from
                    + ");");
        } else {
            out.line(ValueSection.OPERATIONS + "::" + VectorAccess.load(load.register().type(), load.count()) + "("
                    + values.pointer(load.register(), load.first()) + ", " + from + ");");
        }
    }

    private void write(Operation.StoreValues store) {
        String to = pointer(store.to());
        if (RoundedBytes.isIn(store)) {
            out.line(ValueSection.OPERATIONS + "::" + RoundedBytes.store(store.type(), store.values().size()) + "("
                    + to + store.values().stream().map(v -> ", " + values.of(RoundedBytes.unrounded(v)))
                            .collect(Collectors.joining()) + ");");
        } else if (store.values().size() == 1) {
            out.line("*reinterpret_cast<" + ValueFunctions.cType(store.type()) + "*>(" + to + ") = "
                    + values.of(store.values().getFirst()) + ";");
        } else {
            out.line(ValueSection.OPERATIONS + "::" + VectorAccess.store(store.type(), store.values().size()) + "(" + to
                    + store.values().stream().map(v -> ", " + values.of(v)).collect(Collectors.joining()) + ");");
        }
    }

    /** A text for a loop's bound or step, which is computed once, also where it has registers in it that change. */
    private String once(Expr e, String wanted, String text) {
        if (!ValueSearch.any(e, v -> v instanceof Value.Element)) {
            return text;
        }
        String name = names.reserve(wanted);
        out.line("const " + ExprText.cType(e.type()) + " " + name + " = " + text + ";");
        return name;
    }

    private void write(Operation.Loop loop) {
        String from = expressions.of(loop.from());
        names.enter();
        String until = once(loop.until(), loop.variable().name() + "_end", expressions.summand(loop.until()));
        String by = once(loop.by(), loop.variable().name() + "_step", expressions.of(loop.by()));
        if (loop.unrolled()) {
            out.line("#pragma unroll");
        }
        String name = names.define(loop.variable(), loop.variable().name());
        out.block("for (" + ExprText.cType(loop.variable().type()) + " " + name + " = " + from + "; " + name + " < "
                + until + "; " + (by.equals("1") || by.equals("1LL") ? "++" + name : name + " += " + by) + ")",
                () -> write(loop.body()));
        names.leave();
    }

    private void call(Procedure procedure, List<Expr> values) {
        // A call is written after the procedure: its steps have their lines.
        if (numbers.firstOf(procedure) == next) {
            next = numbers.endOf(procedure);
        }
        Captures captures = Captures.of(procedure.body());
        Stream<String> arguments = Stream.of(
                program.parameters().stream().filter(captures::has).map(names::of),
                program.shared().regions().stream().filter(captures::has).map(names::of),
                stamps.stream().map(s -> s.argument(names)),
                values.stream().map(expressions::of)).flatMap(s -> s);
        out.line(names.of(procedure) + arguments.collect(Collectors.joining(", ", "(", ");")));
    }

    /** Several results are declared first, one is what the function returns. */
    private void write(Operation.Issue issue) {
        PtxInstruction form = options.spell(issue.form());
        List<Operand> outputs = form.results();
        Stream<String> arguments = arguments(form, issue.inputs());
        if (outputs.size() < 2) {
            String call = call(form.functionName(), arguments);
            if (issue.results().isEmpty()) {
                out.line(call);
            } else {
                declare(issue.results().getFirst(), bits(outputs.getFirst(), call.substring(0, call.length() - 1)));
            }
            return;
        }
        List<String> taken = IntStream.range(0, outputs.size()).mapToObj(i -> names.reserve((issue.results().isEmpty()
                ? outputs.get(i).name() : issue.results().get(i).name()) + "_out")).toList();
        for (int i = 0; i < outputs.size(); i++) {
            out.line(outputs.get(i).kind().cType() + " " + taken.get(i) + ";");
        }
        out.line(call(form.functionName(), Stream.concat(taken.stream(), arguments)));
        for (int i = 0; i < issue.results().size(); i++) {
            declare(issue.results().get(i), bits(outputs.get(i), taken.get(i)));
        }
    }

    private void poll(PtxInstruction form, List<Input> inputs, Expr.Var value, Expr condition) {
        String call = call(form.functionName(), arguments(form, inputs));
        String loaded = bits(form.results().getFirst(), call.substring(0, call.length() - 1));
        String name = names.define(value, value.name());
        out.line(ExprText.cType(value.type()) + " " + name + " = " + loaded + ";");
        String again = "!(" + expressions.of(condition) + ")";
        if (options.pollLimit() > 0) {
            names.enter();
            String polls = names.reserve("polls");
            out.block("for (unsigned " + polls + " = 0; " + again + "; ++" + polls + ")", () -> {
                out.line("if (" + polls + " == " + options.pollLimit() + "u) __trap();");
                out.line(name + " = " + loaded + ";");
            });
            names.leave();
        } else {
            out.block("while (" + again + ")", () -> out.line(name + " = " + loaded + ";"));
        }
    }

    /** A result as the integer with its bits. */
    private static String bits(Operand output, String value) {
        return switch (output.kind()) {
            case F32_OUT -> "__float_as_int(" + value + ")";
            case F64_OUT -> "__double_as_longlong(" + value + ")";
            default -> (output.kind().isWide() ? "(long long)" : "(int)") + value;
        };
    }

    private static String call(String function, Stream<String> arguments) {
        return InstructionSection.NAMESPACE + function + arguments.collect(Collectors.joining(", ", "(", ");"));
    }

    private Stream<String> arguments(PtxInstruction form, List<Input> given) {
        List<Operand> inputs = form.inputs();
        return IntStream.range(0, inputs.size()).mapToObj(i -> argument(form, inputs.get(i), given.get(i)));
    }

    private String argument(PtxInstruction form, Operand operand, Input input) {
        boolean shared = switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS, U32 -> true;
            default -> false;
        };
        return switch (input) {
            case Input.Place(Address address) -> shared ? InstructionSection.NAMESPACE + "shared_address("
                    + pointer(address) + ")"
                    : pointer(address);
            case Input.Map(MapSource map) -> map(map);
            case Input.Number(Expr value) -> {
                String number = number(operand, value);
                String passed = HiddenNumber.of(form, operand, input).map(hidden -> hidden.call(number)).orElse(number);
                yield switch (operand.kind()) {
                    case F32 -> "__int_as_float(" + passed + ")";
                    case F64 -> "__longlong_as_double(" + passed + ")";
                    case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION, TENSOR_MAP ->
                            "reinterpret_cast<void*>(" + passed + ")";
                    default -> passed;
                };
            }
            case Input.Word(Value value) when operand.kind() == Operand.Kind.F32 && value.type() == ValueType.F32
                    || operand.kind() == Operand.Kind.F64 && value.type() == ValueType.F64 -> values.of(value);
            case Input.Word word -> argument(form, operand, Input.of(word.number()));
            case Input.Registers(Register register, Expr first) -> values.pointer(register, first);
            case Input.Wide(Expr low, Expr high) ->
                    "make_ulonglong2(" + expressions.of(low) + ", " + expressions.of(high) + ")";
        };
    }

    /** As the operand's own type where it is a constant that a conversion to it would change: compilers would warn. */
    private String number(Operand operand, Expr value) {
        String text = expressions.of(value);
        String type = operand.kind().cType();
        long constant = value.constant().orElse(0);
        boolean changes = switch (type) {
            case "unsigned", "unsigned long long" -> constant < 0;
            case "unsigned short" -> constant < 0 || constant > 0xFFFF;
            default -> false;
        };
        if (!changes) {
            return text;
        }
        return value instanceof Expr.Const && type.equals("unsigned") ? "0x" + Integer.toHexString((int) constant) + "u"
                : "(" + type + ")" + expressions.primary(value);
    }

    /** A C++ pointer to the byte. */
    private String pointer(Address address) {
        return switch (address) {
            case Address.Shared s -> names.of(s.buffer()) + offset(s.byteOffset());
            case Address.Global g -> names.of(g.pointer()) + offset(g.byteOffset());
            case Address.Pointed(Expr number) -> "reinterpret_cast<unsigned char*>(" + expressions.of(number) + ")";
            case Address.Barrier b -> names.of(b.barriers()) + offset(b.index());
            case Address.MapBytes m -> names.of(m.map()) + ".opaque" + offset(m.byteOffset());
            case Address.Remote r -> "__cluster_map_shared_rank(" + names.of(r.buffer()) + offset(r.byteOffset()) + ", "
                    + expressions.of(r.rank()) + ")";
        };
    }

    /** A C++ pointer to a tensor map. */
    private String map(MapSource source) {
        return switch (source) {
            case Parameter.TensorMap p -> "&" + names.of(p);
            case MapSource.InMemory m -> pointer(m.at());
        };
    }

    private String offset(Expr offset) {
        return offset instanceof Expr.Const(long value, var _) && value == 0 ? "" : " + " + expressions.summand(offset);
    }
}

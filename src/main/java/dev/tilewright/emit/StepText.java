package dev.tilewright.emit;

import dev.tilewright.program.Address;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Input;
import dev.tilewright.program.IntType;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Step;
import dev.tilewright.program.Token;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Prints the steps of a kernel, each under a comment with its purpose. */
final class StepText {
    private final CodeWriter out;
    private final EmitOptions options;
    /** Where each step's statement begins, in the order of {@link dev.tilewright.program.StepNumbers}. */
    private final List<Integer> lines = new ArrayList<>();

    StepText(CodeWriter out, EmitOptions options) {
        this.out = out;
        this.options = options;
    }

    /** Writes the whole body. @return the line, from 1, in which each step's statement begins, in the order of the steps' numbers */
    List<Integer> writeAll(List<Step> body) {
        write(body);
        return List.copyOf(lines);
    }

    private void write(List<Step> steps) {
        for (Step step : steps) {
            out.line("// " + step.purpose());
            lines.add(out.lines() + 1);
            write(step.operation());
        }
    }

    private void write(Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var v, Expr value) ->
                    out.line("const " + ExprText.cType(v.type()) + " " + v.name() + " = " + ExprText.of(value) + ";");
            case Operation.Loop(Expr.Var v, Expr from, Expr until, Expr by, List<Step> body) -> {
                boolean byOne = by instanceof Expr.Const(long value, IntType _) && value == 1;
                out.block("for (" + ExprText.cType(v.type()) + " " + v.name() + " = " + ExprText.of(from) + "; "
                        + v.name() + " < " + ExprText.summand(until) + "; "
                        + (byOne ? "++" + v.name() : v.name() + " += " + ExprText.of(by)) + ")", () -> write(body));
            }
            case Operation.Guard(Expr condition, List<Step> body, List<Step> otherwise) -> {
                out.block("if (" + ExprText.of(condition) + ")", () -> write(body), otherwise.isEmpty() ? "" : " else {");
                if (!otherwise.isEmpty()) {
                    out.indented(() -> write(otherwise));
                    out.line("}");
                }
            }
            case Operation.SyncThreads() -> out.line("__syncthreads();");
            case Operation.Load(Fragment f, Address from) -> {
                String type = CudaEmitter.fragmentType(f);
                out.line(type + " " + f.name() + " = *reinterpret_cast<const " + type + "*>(" + pointer(from) + ");");
            }
            case Operation.Store(Address to, Fragment f) -> out.line("*reinterpret_cast<" + CudaEmitter.fragmentType(f)
                    + "*>(" + pointer(to) + ") = " + f.name() + ";");
            case Operation.Apply(Fragment f, ElementStep step, var scalar) -> {
                String function = step.functionName(f.type());
                if (f.count() == 1) {
                    out.line(f.name() + ".e[0] = " + function + "(" + f.name() + ".e[0], " + scalar.name() + ");");
                } else {
                    out.line("#pragma unroll");
                    out.line("for (int k = 0; k < " + f.count() + "; ++k) " + f.name() + ".e[k] = " + function + "("
                            + f.name() + ".e[k], " + scalar.name() + ");");
                }
            }
            case Operation.Instruction instruction -> write(instruction);
        }
    }

    private void write(Operation.Instruction instruction) {
        PtxInstruction form = options.spell(instruction.form());
        switch (instruction) {
            case Operation.Perform p -> perform(p);
            case Operation.WaitUntil w -> waitUntil(w);
            case Operation.CpAsyncCopy c -> call(form, Stream.concat(
                    Stream.of(shared(c.to()), pointer(c.from())), c.sourceBytes().stream().map(ExprText::of)));
            case Operation.BulkLoadCopy c -> call(form, Stream.of(
                    shared(c.to()), pointer(c.from()), ExprText.of(c.bytes()), shared(c.barrier())));
            case Operation.BulkStoreCopy c -> call(form, Stream.of(
                    pointer(c.to()), shared(c.from()), ExprText.of(c.bytes())));
            case Operation.TensorLoadBox c -> call(form, Stream.of(
                    Stream.of(shared(c.to()), map(c.map())), c.coordinates().stream().map(ExprText::of),
                    Stream.of(shared(c.barrier()))).flatMap(s -> s));
            case Operation.TensorStoreBox c -> call(form, Stream.of(
                    Stream.of(map(c.map())), c.coordinates().stream().map(ExprText::of),
                    Stream.of(shared(c.from()))).flatMap(s -> s));
            case Operation.BarrierInit c -> call(form, Stream.of(shared(c.barrier()), Integer.toString(c.arrivals())));
            case Operation.Arrive c -> callForToken(c.token(), form, Stream.of(shared(c.barrier())));
            case Operation.ArriveExpectTx c -> callForToken(c.token(), form,
                    Stream.of(shared(c.barrier()), ExprText.of(c.bytes())));
            case Operation.ExpectTx c -> call(form, Stream.of(shared(c.barrier()), ExprText.of(c.bytes())));
            case Operation.WaitToken c -> call(CudaEmitter.waitFunction(form),
                    Stream.of(shared(c.barrier()), c.token().name()));
            case Operation.WaitParity c -> call(CudaEmitter.waitFunction(form),
                    Stream.of(shared(c.barrier()), ExprText.of(c.parity())));
            case Operation.ReplaceMapField c -> call(form, Stream.concat(
                    Stream.of(shared(c.map())), c.edit().value().stream().map(ExprText::of)));
            case Operation.PublishMap c -> call(form, Stream.of(pointer(c.to()), shared(c.from())));
            case Operation.AcquireMap c -> call(form, Stream.of(pointer(c.map())));
            case Operation.PrefetchMap c -> call(form, Stream.of(map(c.map())));
            case Operation.ReleaseMap _, Operation.CpAsyncCommit _, Operation.CpAsyncWait _, Operation.BulkCommit _, Operation.BulkWait _,
                    Operation.ProxyFence _, Operation.BarrierInitFence _ -> call(form, Stream.empty());
        }
    }

    /** Several results are declared first, one is what the function returns. */
    private void perform(Operation.Perform p) {
        PtxInstruction form = options.spell(p.form());
        List<Operand> outputs = form.operands().stream().filter(o -> o.kind().isOutput()).toList();
        List<Operand> inputs = form.operands().stream().filter(o -> !o.kind().isOutput()).toList();
        Stream<String> arguments = IntStream.range(0, inputs.size()).mapToObj(i -> argument(inputs.get(i), p.inputs().get(i)));
        if (outputs.size() == 1) {
            Expr.Var v = p.results().getFirst();
            String call = form.functionName() + arguments.collect(Collectors.joining(", ", "(", ")"));
            out.line("const " + ExprText.cType(v.type()) + " " + v.name() + " = " + bits(outputs.getFirst(), call) + ";");
            return;
        }
        for (int i = 0; i < outputs.size(); i++) {
            out.line(outputs.get(i).kind().cType() + " " + p.results().get(i).name() + "_out;");
        }
        call(form, Stream.concat(p.results().stream().map(r -> r.name() + "_out"), arguments));
        for (int i = 0; i < outputs.size(); i++) {
            Expr.Var v = p.results().get(i);
            out.line("const " + ExprText.cType(v.type()) + " " + v.name() + " = " + bits(outputs.get(i), v.name() + "_out") + ";");
        }
    }

    private void waitUntil(Operation.WaitUntil w) {
        PtxInstruction form = options.spell(w.form());
        Operand result = form.operands().getFirst();
        String value = bits(result, form.functionName() + "(" + argument(form.operands().get(1), w.from()) + ")");
        String name = w.value().name();
        out.line(ExprText.cType(w.value().type()) + " " + name + " = " + value + ";");
        String again = "!(" + ExprText.of(w.condition()) + ")";
        if (options.pollLimit() > 0) {
            out.block("for (unsigned polls = 0; " + again + "; ++polls)", () -> {
                out.line("if (polls == " + options.pollLimit() + "u) __trap();");
                out.line(name + " = " + value + ";");
            });
        } else {
            out.line("while (" + again + ") " + name + " = " + value + ";");
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

    private static String argument(Operand operand, Input input) {
        boolean shared = switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS, U32 -> true;
            default -> false;
        };
        return switch (input) {
            case Input.Place(Address address) -> shared ? shared(address) : pointer(address);
            case Input.Map(MapSource map) -> map(map);
            case Input.Number(Expr value) -> switch (operand.kind()) {
                case F32 -> "__int_as_float(" + ExprText.of(value) + ")";
                case F64 -> "__longlong_as_double(" + ExprText.of(value) + ")";
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION, TENSOR_MAP ->
                        "reinterpret_cast<void*>(" + ExprText.of(value) + ")";
                default -> ExprText.of(value);
            };
            case Input.Wide(Expr low, Expr high) -> "make_ulonglong2(" + ExprText.of(low) + ", " + ExprText.of(high) + ")";
        };
    }

    private void call(PtxInstruction form, Stream<String> arguments) {
        call(form.functionName(), arguments);
    }

    private void call(String function, Stream<String> arguments) {
        out.line(function + arguments.collect(Collectors.joining(", ", "(", ");")));
    }

    private void callForToken(Optional<Token> token, PtxInstruction form, Stream<String> arguments) {
        call(token.map(t -> "const unsigned long long " + t.name() + " = ").orElse("") + form.functionName(), arguments);
    }

    /** A C++ pointer to the byte. */
    private static String pointer(Address address) {
        return switch (address) {
            case Address.Shared s -> s.buffer().name() + offset(s.byteOffset());
            case Address.Global g -> g.pointer().name() + offset(g.byteOffset());
            case Address.Barrier b -> b.barriers().name() + offset(b.index());
            case Address.MapBytes m -> m.map().name() + ".opaque" + offset(m.byteOffset());
        };
    }

    /** A C++ pointer to a tensor map. */
    private static String map(MapSource source) {
        return switch (source) {
            case Parameter.TensorMap p -> "&" + p.name();
            case MapSource.InMemory m -> pointer(m.at());
        };
    }

    private static String shared(Address address) {
        return "shared_address(" + pointer(address) + ")";
    }

    private static String offset(Expr offset) {
        return offset instanceof Expr.Const(long value, IntType _) && value == 0 ? "" : " + " + ExprText.summand(offset);
    }
}

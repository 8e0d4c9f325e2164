package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs may use names that the compiler has itself: everywhere, and what is emitted compiles. */
class CompilerNamesTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("result", true);
    private static final Expr ZERO = Expr.of(0);

    private static List<String> names() {
        TreeSet<String> names = new TreeSet<>(CompilerNames.ALL);
        names.addAll(List.of("max", "min", "ptx", "value", "function", "shared_memory", "polls", "k", "e", "x",
                "scalar", "p", "done", "threads", "stages", "blockidx", "linux", "unix", "ret", "mov", "ld", "st",
                "atom", "bar", "tid", "reg", "entry", "func", "param", "global", "shared", "local", "visible",
                "version", "target", "b32", "u32", "mbarrier", "cvta", "tex", "call", "bra", "pred"));
        return List.copyOf(names);
    }

    private static void put(Body body, Expr place, Expr value) {
        body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                Input.of(new Address.Global(OUT, place.times(4).toS64())), Input.of(value));
    }

    /** Bounded, too, by the newer compiler alone; in a thorough run by both. */
    private static void requireCompiles(Nvrtc nvrtc, TileProgram program, Target target) {
        List<EmitOptions> all = List.of(EmitOptions.DEFAULT, EmitOptions.BOUNDED);
        for (EmitOptions options : all.subList(0, nvrtc.version().equals("13.3") ? 2 : Thorough.of(1, 2))) {
            CudaSource source = CudaEmitter.emit(program, options);
            EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), target, KernelCompiler.OPTIONS);
        }
    }

    /** A kernel each, with no constants and no instructions, in one source. */
    @ParameterizedTest
    @ValueSource(strings = {"12.9", "13.3"})
    void kernels(String release) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        StringBuilder all = new StringBuilder();
        List<String> kernels = new ArrayList<>();
        for (String name : names()) {
            CudaSource source =
                    CudaEmitter.emit(new TileProgram(name, "has a name", 32, List.of(OUT), new SharedLayout(List.of()),
                    Body.steps(body -> body.let("v", Builtin.THREAD.plus(1)))));
            assertTrue(source.text().startsWith("// " + name + ": has a name\n"), "the name is told");
            all.append(source.text());
            kernels.add(source.kernelName());
        }
        EmbeddedCompiler.kernels(nvrtc, all.toString(), kernels, Target.SM_90A);
        assertEquals(kernels.size(), new TreeSet<>(kernels).size());
    }

    /**
     * All as constants of one program, all as procedures, all as variables and loops, all as parameters and regions.
     */
    @ParameterizedTest
    @ValueSource(strings = {"12.9", "13.3"})
    void everythingElse(String release) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        List<String> names = names();
        requireCompiles(nvrtc, new TileProgram("constants", "names constants", 32, List.of(OUT),
                new SharedLayout(List.of()),
                Body.steps(body ->
                names.forEach(name -> put(body, Builtin.THREAD.min(Expr.named(name, 5)), Expr.named(name, 5))))),
                Target.SM_90A);
        requireCompiles(nvrtc, new TileProgram("procedures", "names procedures", 32, List.of(OUT),
                new SharedLayout(List.of()), Body.steps(body -> names.forEach(name -> {
                    Expr.Var own = new Expr.Var(name, IntType.S32);
                    body.call(Procedure.of(name, "stores", List.of(own), in -> put(in, own, Builtin.THREAD.max(own))),
                            Builtin.THREAD);
                }))), Target.SM_90A);
        requireCompiles(nvrtc, new TileProgram("variables", "names variables", 32, List.of(OUT),
                new SharedLayout(List.of()), Body.steps(body -> names.forEach(name -> {
                    Expr.Var v = body.let(name, Builtin.THREAD.max(ZERO));
                    body.loop(name, 2, (each, i) -> put(each, v.min(i), v));
                    body.waitUntil(name, ValueType.U32, new Address.Global(OUT, 0), polled -> polled.isEqualTo(v));
                }))), Target.SM_90A);
        for (int from = 0; from < names.size(); from += 60) {
            List<String> some = names.subList(from, Math.min(names.size(), from + 60));
            List<Parameter> parameters = new ArrayList<>(List.of(OUT));
            some.forEach(name -> parameters.add(switch (parameters.size() % 3) {
                case 0 -> new Parameter.Int(name, IntType.S32);
                case 1 -> new Parameter.Pointer(name, true);
                default -> new Parameter.Scalar(name, ElementType.F32);
            }));
            requireCompiles(nvrtc, new TileProgram("parameters", "names parameters", 32, parameters,
                    new SharedLayout(List.of()), Body.steps(body -> parameters.forEach(p -> {
                        if (p instanceof Parameter.Int i) {
                            put(body, i.value(), Builtin.THREAD.max(i.value()));
                        } else if (p instanceof Parameter.Pointer q) {
                            body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                                    Input.of(new Address.Global(q, 0)), Input.of(Builtin.THREAD));
                        }
                    }))), Target.SM_90A);
            List<SharedRegion> regions = some.stream().map(name -> name.hashCode() % 2 == 0
                    ? new SharedRegion.Buffer(name, 256, 16) : (SharedRegion) new SharedRegion.Barriers(name, 2))
                    .toList();
            Parameter.Scalar factor = new Parameter.Scalar("factor", ElementType.F32);
            requireCompiles(nvrtc, new TileProgram("regions", "names regions", 32, List.of(OUT, factor),
                    new SharedLayout(regions), Body.steps(body -> regions.forEach(r -> {
                        switch (r) {
                            case SharedRegion.Buffer b -> {
                                Register data = body.registers(b.name(), ValueType.F32, 4);
                                body.load(data, b.at(ZERO));
                                Value scaled = ElementStep.SCALE.typed(ElementType.F32, ElementType.F32).function()
                                        .of(data.at(0), factor.value());
                                body.store(b.at(ZERO), scaled, scaled);
                            }
                            case SharedRegion.Barriers b -> {
                                body.barrierInit(b.at(ZERO), 1);
                                body.waitToken(b.at(ZERO), body.arrive(b.at(ZERO)).token(b.name()));
                            }
                        }
                    }))), Target.SM_90A);
        }
    }
}

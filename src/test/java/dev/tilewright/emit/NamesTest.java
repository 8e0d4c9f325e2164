package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A name may be used again, and no name is reserved: what is emitted then, that it compiles, and that it means the
 * same.
 */
class NamesTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    private static final Parameter.Scalar FACTOR = new Parameter.Scalar("factor", ElementType.F32);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", 256, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier BARRIER = FULL.at(0);
    private static final Expr ZERO = Expr.of(0);

    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("12.9");
    }

    private static TileProgram program(String name, Consumer<Body> body) {
        return new TileProgram(name, "names things", 4, List.of(OUT, N, FACTOR), new SharedLayout(List.of(RING, FULL)),
                Body.steps(body));
    }

    /** What the kernel does, line by line, without its shared memory. */
    private static String steps(TileProgram program) {
        String text = CudaEmitter.emit(program).text();
        return text.substring(text.indexOf("\n\n", text.indexOf("extern \"C\"")) + 2, text.length() - 2)
                .replaceAll("(?m)^    ", "");
    }

    private static void requireCompiles(TileProgram program) {
        for (EmitOptions options : List.of(EmitOptions.DEFAULT, EmitOptions.BOUNDED)) {
            CudaSource source = CudaEmitter.emit(program, options);
            EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), Target.SM_90A,
                    KernelCompiler.OPTIONS);
        }
    }

    private static byte[] run(TileProgram program) {
        byte[] out = new byte[1024];
        Reference.run(
                new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Int(3),
                new Argument.Scalar(Float.floatToIntBits(2f)))), List.of(MemorySegment.ofArray(out)));
        return out;
    }

    private static void put(Body body, Expr place, Expr value) {
        body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                Input.of(new Address.Global(OUT, place.times(4).toS64())), Input.of(value));
    }

    // ---- the same name again

    private static TileProgram siblings(String first, String second) {
        return program("siblings", body -> {
            body.loop(first, 2, (each, i) -> put(each, i, i.plus(10)));
            body.loop(second, 3, (each, i) -> put(each, i.plus(2), i.plus(20)));
        });
    }

    @Test
    void loopsBesideEachOtherKeepTheirName() {
        assertEquals("""
                for (int i = 0; i < 2; ++i) {
                    ptx::st_relaxed_gpu_global_b32(out + (long long)(i * 4), i + 10);
                }
                for (int i = 0; i < 3; ++i) {
                    ptx::st_relaxed_gpu_global_b32(out + (long long)((i + 2) * 4), i + 20);
                }
                """, steps(siblings("i", "i")));
        requireCompiles(siblings("i", "i"));
        assertArrayEquals(run(siblings("i", "j")), run(siblings("i", "i")));
    }

    private static TileProgram nested(String outer, String inner, String sum) {
        return program("nested", body -> {
            body.loop(outer, 2, (each, i) -> each.loop(inner, 3, (most, j) -> {
                Expr place = most.let(sum, i.times(3).plus(j));
                put(most, place, i.times(100).plus(j));
            }));
            put(body, Expr.of(6), body.let(sum, Expr.of(77)));
        });
    }

    @Test
    void anInnerLoopOfTheSameNameSeesTheOuterOne() {
        assertEquals("""
                for (int i = 0; i < 2; ++i) {
                    for (int i_2 = 0; i_2 < 3; ++i_2) {
                        const int i_3 = i * 3 + i_2;
                        ptx::st_relaxed_gpu_global_b32(out + (long long)(i_3 * 4), i * 100 + i_2);
                    }
                }
                const int i = 77;
                ptx::st_relaxed_gpu_global_b32(out + 24LL, i);
                """, steps(nested("i", "i", "i")));
        requireCompiles(nested("i", "i", "i"));
        assertArrayEquals(run(nested("i", "j", "k")), run(nested("i", "i", "i")));
    }

    private static TileProgram helped(String second) {
        return program("helped", body -> {
            twice(body, "row", Expr.of(0));
            twice(body, second, Expr.of(1));
        });
    }

    private static void twice(Body body, String name, Expr row) {
        Expr start = body.let(name, row.times(4).plus(Builtin.THREAD));
        body.when(start.lessThan(6), some -> put(some, start, some.let(name, start.plus(1)).times(2)));
    }

    @Test
    void aHelperMayBeCalledTwice() {
        assertEquals("""
                const int row = 0 + (int)threadIdx.x;
                if (row < 6) {
                    const int row_2 = row + 1;
                    ptx::st_relaxed_gpu_global_b32(out + (long long)(row * 4), row_2 * 2);
                }
                const int row_2 = 4 + (int)threadIdx.x;
                if (row_2 < 6) {
                    const int row_3 = row_2 + 1;
                    ptx::st_relaxed_gpu_global_b32(out + (long long)(row_2 * 4), row_3 * 2);
                }
                """.replace("0 + (int)", "(int)"), steps(helped("row")));
        requireCompiles(helped("row"));
        assertArrayEquals(run(helped("column")), run(helped("row")));
    }

    static Stream<Arguments> again() {
        return Stream.<Arguments>of(
                again(b -> put(b, ZERO, b.let("n", N.value().plus(1))), "const int n_2 = n + 1;"),
                again(b -> put(b, ZERO, b.let("ring", Expr.of(7))), "const int ring_2 = 7;"),
                again(b -> put(b, ZERO, b.let("kernel", Expr.of(7))), "const int kernel_2 = 7;"),
                again(b -> b.loop("full", 2, (each, i) -> put(each, i, i)),
                "for (int full_2 = 0; full_2 < 2; ++full_2) {"), again(b -> {
                    b.let("x", ZERO);
                    put(b, ZERO, b.let("x", Expr.of(1)));
                }, "const int x = 0;", "const int x_2 = 1;"),
                again(b -> {
                    b.let("x", ZERO);
                    Value x = b.load("x", ValueType.F32, RING.at(ZERO));
                    b.store(RING.at(ZERO), SCALE.of(x, FACTOR.value()));
                }, "const int x = 0;", "float x_2;", "x_2 = *reinterpret_cast<const float*>(ring);",
                        "*reinterpret_cast<float*>(ring) = function::scale_f32(x_2, factor);"),
                again(b -> {
                    Fragment x = b.load("x", ElementType.F32, 1, RING.at(ZERO));
                    b.waitToken(BARRIER, b.arrive(BARRIER).token("x"));
                    b.store(RING.at(ZERO), x);
                    b.waitToken(BARRIER, b.arriveExpectTx(BARRIER, ZERO).token("x"));
                }, "F32x1 x = *reinterpret_cast<const F32x1*>(ring);",
                        "const long long x_2 = (long long)ptx::mbarrier_arrive(ptx::shared_address(full));",
                        "ptx::mbarrier_wait(ptx::shared_address(full), x_2);", "*reinterpret_cast<F32x1*>(ring) = x;",
                        "const long long x_3 = (long long)ptx::mbarrier_arrive_expect_tx(ptx::shared_address(full), "
                        + "0);", "ptx::mbarrier_wait(ptx::shared_address(full), x_3);"),
                again(b -> {
                    put(b, ZERO, b.let("stores", Expr.of(5)));
                    b.call(Procedure.of("stores", "stores it", List.of(),
                            in -> put(in, ZERO, in.let("stores", Expr.of(6)))));
                }, "const int stores_2 = 5;", "stores(out);"),
                // A name that looks like one that was made up.
                again(b -> {
                    b.let("x_2", ZERO);
                    b.let("x", ZERO);
                    put(b, ZERO, b.let("x", Expr.of(5)));
                }, "const int x_2 = 0;", "const int x = 0;", "const int x_3 = 5;"));
    }

    private static Arguments again(Consumer<Body> body, String... lines) {
        return Arguments.of(body, List.of(lines));
    }

    @ParameterizedTest
    @MethodSource("again")
    void whatIsTakenGetsANumber(Consumer<Body> body, List<String> lines) {
        TileProgram program = program("kernel", body);
        List<String> emitted = steps(program).lines().map(l -> l.replace("[[maybe_unused]] ", "")).toList();
        assertTrue(emitted.containsAll(lines), () -> emitted.toString());
        requireCompiles(program);
    }

    // ---- names that generated code has

    private static final ValueFunction SCALE = ElementStep.SCALE.typed(ElementType.F32, ElementType.F32).function();

    /**
     * Uses everything that generated code has a name for, in which a variable, a fragment and a parameter have a name
     * too.
     */
    private static TileProgram reserving(String name) {
        Parameter.Int parameter = new Parameter.Int(name, IntType.S32);
        Expr.Var element = new Expr.Var("element", IntType.S32);
        Procedure procedure = Procedure.of("stores", "stores it", List.of(element), b -> put(b, element, element));
        return new TileProgram("kernel", "names things", 4, List.of(OUT, parameter, FACTOR),
                new SharedLayout(List.of(RING, FULL)), Body.steps(b -> {
                    Expr.Var variable = b.let(name, parameter.value().max(ZERO).min(7));
                    Fragment fragment = b.load(name, ElementType.F32, 4, RING.at(ZERO));
                    b.store(RING.at(ZERO), fragment);
                    Register register = b.registers(name, 2, SCALE.of(Value.f32(2), FACTOR.value()));
                    b.store(RING.at(ZERO), register.at(0), register.at(1).max(register.at(0)));
                    b.waitUntil(name, ValueType.U32, new Address.Global(OUT, 0), v -> v.isEqualTo(0));
                    b.barrierInit(BARRIER, 1);
                    b.waitToken(BARRIER, b.arrive(BARRIER).token(name));
                    b.bulkStore(new Address.Global(OUT, 16), RING.at(ZERO), 16);
                    b.bulkCommit();
                    b.loop(name, 2, (each, i) -> put(each, i.plus(variable), i.max(variable)));
                    b.call(procedure, variable);
                }));
    }

    static Stream<String> reserved() {
        return Stream.of("k", "max", "min", "shared_memory", "polls", "ptx", "value", "function", "kernel",
                "make_ulonglong2", "bulk_commit_group", "mbarrier_init", "mbarrier_wait", "shared_address", "e", "x",
                "scalar", "done", "mbar");
    }

    @ParameterizedTest
    @MethodSource("reserved")
    void noNameIsReserved(String name) {
        requireCompiles(reserving(name));
    }

    @Test
    void howThatLooks() {
        assertEquals("""
                const int k_2 = min(max(k, 0), 7);
                F32x4 k_3 = *reinterpret_cast<const F32x4*>(ring);
                *reinterpret_cast<F32x4*>(ring) = k_3;
                float k_4[2];
                #pragma unroll
                for (int k_5 = 0; k_5 < 2; ++k_5) k_4[k_5] = function::scale_f32(2.0f, factor);
                """, steps(reserving("k")).lines().limit(6).map(l -> l + "\n").reduce("", String::concat));
        assertEquals("const int max_3 = min(max(max_2, 0), 7);", steps(reserving("max")).lines().findFirst()
                .orElseThrow());
        assertTrue(CudaEmitter.emit(reserving("shared_memory")).text().contains("const int shared_memory_2,"));
    }

    /** A kernel, a constant and a procedure stand outside of functions, beside what generated code has there. */
    @ParameterizedTest
    @MethodSource("outside")
    void noNameIsReservedOutsideOfFunctions(String name) {
        TileProgram kernel = program(name, b -> put(b, ZERO, b.let("v", Builtin.THREAD.max(ZERO))));
        requireCompiles(kernel);
        TileProgram constant =
                program("kernel", b -> put(b, ZERO, b.let("v", Builtin.THREAD.max(Expr.named(name, 5)))));
        requireCompiles(constant);
        TileProgram procedure =
                program("kernel",
                b -> b.call(Procedure.of(name, "stores", List.of(), in -> put(in, ZERO, Builtin.THREAD.max(ZERO)))));
        requireCompiles(procedure);
    }

    static Stream<String> outside() {
        return Stream.of("ptx", "value", "function", "max", "min", "shared_memory", "make_ulonglong2", "k",
                "st_relaxed_gpu_global_b32", "copy");
    }

    @Test
    void aKernelIsLookedUpByTheNameThatItHas() {
        CudaSource source = CudaEmitter.emit(program("ptx", b -> put(b, ZERO, ZERO)));
        assertEquals("ptx_2", source.kernelName());
        assertTrue(source.text().contains("__launch_bounds__(4)\nptx_2("));
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.ClusterLaunchControlFirstCtaid;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A program can perform any instruction of the catalogue: what it has to give, how that is written, and that it
 * compiles.
 */
class PerformTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 4096, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final Expr N = Expr.of(16);
    private static final Expr W = Expr.of(16L);
    /** Constants in the wrong places are an internal error of ptxas. */
    private static final Expr VARIES = Expr.Builtin.THREAD;
    private static final Input PLACE = new Input.Place(new Address.Shared(TILE, N));
    private static final Input GLOBAL = new Input.Place(new Address.Global(OUT, W));
    private static final Input READ_ONLY = new Input.Place(new Address.Global(IN, W));
    private static final Input BARRIER = new Input.Place(new Address.Barrier(FULL, Expr.of(1)));

    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("13.3");
    }

    private static Expr.Var word(String name) {
        return new Expr.Var(name, IntType.S32);
    }

    private static TileProgram program(Operation... operations) {
        List<Parameter> maps = List.of(OUT, IN, new Parameter.TensorMap("map2", 2), new Parameter.TensorMap("map3", 3));
        return new TileProgram("performs", "performs instructions", 128, maps, new SharedLayout(List.of(TILE, FULL)),
                Stream.of(operations).map(o -> new Step("perform it", o)).toList());
    }

    private static Register register(Operand o, int number) {
        return new Register(o.name() + "_of_" + number, switch (o.kind()) {
            case S32_REGISTERS -> ValueType.I32;
            case F32_REGISTERS -> ValueType.F32;
            case F64_REGISTERS -> ValueType.F64;
            default -> ValueType.U32;
        }, o.count(), number);
    }

    /** Something for every input and result that a form has. */
    private static Operation.Issue perform(PtxInstruction form, int number) {
        List<Input> inputs = form.operands().stream().filter(o -> !o.kind().isOutput()).map(o -> switch (o.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> o.name().equals("mbar") ? BARRIER : PLACE;
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION -> GLOBAL;
            case TENSOR_MAP -> new Input.Map(new Parameter.TensorMap("map2", 2));
            case U128 -> new Input.Wide(VARIES.toS64(), W);
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> Input.of(register(o, number));
            default -> new Input.Number(o.kind().isWide() ? VARIES.toS64() : VARIES);
        }).toList();
        List<Expr.Var> results = form.operands().stream().filter(o -> o.kind().isOutput())
                .map(o -> new Expr.Var(o.name() + "_of_" + number, o.kind().isWide() ? IntType.S64 : IntType.S32))
                .toList();
        return new Operation.Issue(form, inputs, results);
    }

    static Stream<Target> targets() {
        return Stream.of(Target.SM_80, Target.SM_90A, Target.SM_100A);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void everyInstructionCanBePerformed(Target target) {
        List<Operation> operations = new ArrayList<>();
        Set<Operand.Kind> kinds = EnumSet.noneOf(Operand.Kind.class);
        for (Class<? extends PtxInstruction> instruction : Catalogue.instructions()) {
            List<PtxInstruction> forms = Catalogue.forms(instruction).<PtxInstruction>map(f -> f)
                    .filter(f -> f.gate().admits(target) && !EveryFormCompilesTest.isRefusedBy13_3(f))
                    .filter(f -> !hasRegisters(f)).toList();
            if (!forms.isEmpty()) {
                operations.add(perform(forms.getFirst(), operations.size()));
                operations.add(perform(forms.getLast(), operations.size()));
                forms.stream().filter(f -> f.operands().stream().anyMatch(o -> kinds.add(o.kind())))
                        .forEach(f -> operations.add(perform(f, operations.size())));
            }
        }
        TileProgram program = program(operations.stream().distinct().toArray(Operation[]::new));
        assertTrue(program.gate().admits(target), () -> program.gate().toString());
        CudaSource source = CudaEmitter.emit(program);
        EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), target, KernelCompiler.OPTIONS);
    }

    private static boolean hasRegisters(PtxInstruction form) {
        return form.inputs().stream().anyMatch(o -> o.kind().isRegisters());
    }

    /**
     * The first and the last form of each that takes registers, in a program of its own: all of them would not find
     * room.
     */
    @ParameterizedTest
    @MethodSource("targets")
    void everyInstructionOnRegistersCanBePerformed(Target target) {
        int compiled = 0;
        for (Class<? extends PtxInstruction> instruction : Catalogue.instructions()) {
            List<PtxInstruction> forms = Catalogue.forms(instruction).<PtxInstruction>map(f -> f)
                    .filter(f -> hasRegisters(f) && f.gate().admits(target)).toList();
            for (PtxInstruction form : forms.isEmpty() ? forms : List.of(forms.getFirst(), forms.getLast())) {
                List<Operation> operations = new ArrayList<>();
                form.inputs().stream().filter(o -> o.kind().isRegisters())
                        .forEach(o -> operations.add(new Operation.Declare(register(o, 1), Optional.empty(), false)));
                operations.add(perform(form, 1));
                CudaSource source = CudaEmitter.emit(program(operations.toArray(Operation[]::new)));
                EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), target, KernelCompiler.OPTIONS);
                compiled++;
            }
        }
        assertTrue(compiled >= (target.equals(Target.SM_90A) ? 12 : 4), "forms compiled: " + compiled);
    }

    @Test
    void howItIsWritten() {
        String text = CudaEmitter.emit(program(
                new Operation.Issue(new ElectSync().withLane(), List.of(new Input.Number(Expr.of(-1))),
                        List.of(word("lane"), word("leader"))),
                new Operation.Issue(Red.release(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.F32),
                        List.of(GLOBAL, new Input.Number(word("lane"))), List.of()),
                new Operation.Issue(new ClusterLaunchControlFirstCtaid(ClusterLaunchControlFirstCtaid.Part.X),
                        List.of(new Input.Wide(W, W)), List.of(word("next"))))).text();
        assertEquals(List.of(
                "    unsigned lane_out;",
                "    unsigned leader_out;",
                "    ptx::elect_sync_lane(lane_out, leader_out, 0xffffffffu);",
                "    const int lane = (int)lane_out;",
                "    [[maybe_unused]] const int leader = (int)leader_out;",
                "    ptx::red_release_gpu_global_add_f32(out + 16LL, __int_as_float(lane));",
                "    [[maybe_unused]] const int next",
                "            = "
                + "(int)ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x_b32_b128(make_ulonglong2(16LL, "
                + "16LL));"), text.lines().dropWhile(l -> !l.contains("lane_out;"))
                .filter(l -> !l.contains("//") && !l.equals("}")).toList());
        assertTrue(text.contains("asm volatile(\"{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }\" : "
                + "\"=r\"(lane), "
                + "\"=r\"(elected)\n            : \"r\"(members) : \"memory\");"), text);
        assertTrue(text.contains(".reg .b128 q_in; mov.b128 q_in, {%1, %2};"), text);
    }

    @Test
    void theLowestTargetThatHasBoth() {
        TileProgram program = program(perform(Setmaxnreg.inc(64), 0), perform(Catalogue.forms(TensorLoad.class)
                .filter(f -> f.minimumTarget().equals(Target.SM_100A)).findFirst().orElseThrow(), 1));
        assertEquals(Target.SM_100A, program.minimumTarget());
    }

    @Test
    void noTargetHasBoth() {
        Operation.Issue swizzle = perform(new TensormapReplace(TensormapReplace.Field.SWIZZLE_MODE, 4), 0);
        Operation.Issue load =
                perform(Catalogue.forms(TensorLoad.class).filter(f -> f.minimumTarget().equals(Target.SM_100A))
                .findFirst().orElseThrow(), 1);
        assertEquals(Target.SM_103A, program(swizzle, load).minimumTarget());
        Gate hopper = Gate.ANY.and(new Gate(List.of(new Gate.Alternative(PtxVersion.of(8, 0), Target.SM_90A))));
        assertEquals("no target has all of these instructions", assertThrows(IllegalArgumentException.class,
                () -> swizzle.form().gate().and(hopper)).getMessage());
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        BulkStore store = new BulkStore();
        Input bytes = new Input.Number(N);
        return Stream.of(
                refusal(() -> new Operation.Issue(store, List.of(GLOBAL, PLACE), List.of()),
                        "cp.async.bulk.global.shared::cta.bulk_group has 3 inputs [dst, src, bytes], got 2"),
                refusal(() -> new Operation.Issue(store, List.of(PLACE, PLACE, bytes), List.of()),
                        "cp.async.bulk.global.shared::cta.bulk_group: operand 'dst' takes an address in global memory, "
                        + "got an address in 'tile'"),
                refusal(() -> new Operation.Issue(store, List.of(READ_ONLY, PLACE, bytes), List.of()),
                        "cp.async.bulk.global.shared::cta.bulk_group: pointer 'in' is declared read-only"),
                refusal(() -> new Operation.Issue(store, List.of(GLOBAL, PLACE, new Input.Number(W)), List.of()),
                        "cp.async.bulk.global.shared::cta.bulk_group: operand 'bytes' takes a 32-bit number, got a "
                        + "number of type S64"),
                refusal(() -> new Operation.Issue(store, List.of(GLOBAL, PLACE, PLACE), List.of()),
                        "cp.async.bulk.global.shared::cta.bulk_group: operand 'bytes' takes a 32-bit number, got an "
                        + "address in 'tile'"),
                refusal(() -> new Operation.Issue(new MbarrierInval(), List.of(BARRIER), List.of(word("x"))),
                        "mbarrier.inval.shared::cta.b64 has 0 results [], got 1"),
                refusal(() -> new Operation.Issue(new TensorStore(2), List.of(PLACE, bytes, bytes, PLACE), List.of()),
                        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group: operand 'map' takes a tensor map, got "
                        + "an address in 'tile'"),
                refusal(() ->
                program(new Operation.Issue(store, List.of(GLOBAL, PLACE, new Input.Number(word("n"))), List.of())),
                        "'n' is used where it is not defined (step: perform it)"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a program gives to an instruction is refused when the program is built, or compiles: for forms of every
 * instruction that are drawn, everything there is stands in the place of one operand at a time.
 * {@code -Dtilewright.inputs=20} draws twenty forms of each instruction; a build draws one, and a fourth of what there
 * is.
 */
class DrawnInputsTest {
    private static final int FORMS = Integer.getInteger("tilewright.inputs", 0);
    private static final int STEPS_AT_ONCE = 150;

    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Int CHOICE = new Parameter.Int("choice", IntType.S32);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 4096, 1024);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final Expr T = Expr.Builtin.THREAD;
    /** Registers that a step may be given: of every type one, some, many, and a name for a value. */
    private static final List<Operation.Declare> REGISTERS = Stream.of(ValueType.U32, ValueType.I32, ValueType.F32,
            ValueType.F64).flatMap(type -> Stream.concat(IntStream.of(1, 4, 16).mapToObj(count ->
            new Operation.Declare(register(type, count, count), Optional.empty(), false)),
            Stream.of(new Operation.Declare(register(type, 1, 2), Optional.of(T.toValue().to(type)), true)))).toList();

    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("13.3");
    }

    private static Register register(ValueType type, int count, int number) {
        return new Register(type.toString().toLowerCase() + "_" + number, type, count, 100 + number);
    }

    /** One of everything that there is to give. Some of it cannot even be made: that is a refusal, too. */
    private static List<Supplier<Input>> everything() {
        List<Supplier<Input>> all = new ArrayList<>(List.of(
                () -> Input.of(new Address.Shared(TILE, Expr.of(16))),
                () -> Input.of(new Address.Shared(TILE, T.times(16))),
                () -> Input.of(new Address.Barrier(FULL, Expr.of(1))),
                () -> Input.of(new Address.Barrier(FULL, T)),
                () -> Input.of(new Address.Global(OUT, 16)),
                () -> Input.of(new Address.Global(OUT, T.times(16))),
                () -> Input.of(new Address.Global(IN, T.times(16))),
                () -> Input.of(new Address.MapBytes(MAP, 16)),
                () -> Input.of(new Address.Remote(TILE, Expr.of(16), Expr.of(1))),
                () -> Input.of(MAP),
                () -> Input.of(new MapSource.InMemory(new Address.Global(OUT, 128), 2)),
                () -> Input.of(new MapSource.InMemory(new Address.Global(IN, 128), 2)),
                () -> Input.of(T), () -> Input.of(T.toS64()), () -> Input.of(T.lessThan(5)),
                () -> Input.of(TILE.address()), () -> Input.of(CHOICE.value()),
                () -> Input.of(new Expr.DeviceAddress(OUT)), () -> Input.of(T.toValue().toIndex()),
                () -> new Input.Wide(T.toS64(), Expr.of(1L)), () -> new Input.Wide(T, Expr.of(1)),
                () -> new Input.Wide(Expr.of(0L), Expr.of(-1L))));
        for (int number : new int[] {0, 1, -1, 3, 16, 33, 1024, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            all.add(() -> Input.of(number));
            all.add(() -> Input.of((long) number));
        }
        all.add(() -> Input.of(Long.MIN_VALUE));
        for (Operation.Declare declared : REGISTERS) {
            all.add(() -> Input.of(declared.register()));
            all.add(() -> Input.of(declared.register(), 1));
            all.add(() -> new Input.Registers(declared.register(), T));
        }
        return all;
    }

    /** What an operand takes. */
    private static Input fitting(Operand o, int number) {
        return switch (o.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> o.name().equals("mbar")
                    ? Input.of(new Address.Barrier(FULL, Expr.of(1))) : Input.of(new Address.Shared(TILE, Expr.of(16)));
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION ->
                    Input.of(new Address.Global(OUT, 16));
            case TENSOR_MAP -> Input.of(MAP);
            case U128 -> new Input.Wide(T.toS64(), T.toS64());
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> Input.of(own(o, number));
            default -> Input.of(o.kind().isWide() ? T.toS64() : T);
        };
    }

    private static Register own(Operand o, int number) {
        return new Register(o.name() + "_of_" + number, Register.typeOf(o), o.count(), number);
    }

    /** A step that issues a form, in braces of its own together with registers that it may have. */
    private static Step step(PtxInstruction form, List<Input> inputs, int number, boolean polls) {
        List<Step> steps = new ArrayList<>();
        form.inputs().stream().filter(o -> o.kind().isRegisters()).forEach(o ->
                steps.add(new Step("its own", new Operation.Declare(own(o, number), Optional.empty(), false))));
        inputs.stream().filter(i -> i instanceof Input.Registers).map(i -> ((Input.Registers) i).register()).distinct()
                .flatMap(r -> REGISTERS.stream().filter(d -> d.register().equals(r)))
                .forEach(d -> steps.add(new Step("given", d)));
        List<Expr.Var> results = form.results().stream().map(o -> new Expr.Var(o.name() + "_of_" + number,
                o.kind().isWide() ? IntType.S64 : IntType.S32, number)).toList();
        steps.add(new Step(form.opcode(), !polls ? new Operation.Issue(form, inputs, results)
                : new Operation.Poll(form, inputs, new Operation.Until.Holds(results.getFirst(),
                        results.getFirst().isEqualTo(results.getFirst())))));
        return new Step("step " + number, new Operation.Guard(CHOICE.value().isEqualTo(number), steps, List.of()));
    }

    private static TileProgram program(Target target, List<Step> steps) {
        return new TileProgram("drawn", "issues what was drawn", 128, target.major() < 9 ? 1 : 2,
                List.of(OUT, IN, CHOICE, MAP), new SharedLayout(List.of(TILE, FULL)), steps);
    }

    static Stream<Target> targets() {
        return Stream.of(Target.SM_80, Target.SM_90A, Target.SM_100A);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void isRefusedOrCompiles(Target target) {
        Random random = new Random(25);
        List<Step> built = new ArrayList<>();
        int refused = 0;
        for (Class<? extends PtxInstruction> instruction : Catalogue.instructions()) {
            List<PtxInstruction> forms = new ArrayList<>(Catalogue.forms(instruction).filter(f -> isAsked(f, target))
                    .toList());
            Collections.shuffle(forms, random);
            for (PtxInstruction form : forms.subList(0, Math.min(Math.max(1, FORMS), forms.size()))) {
                for (int place = 0; place < form.inputs().size(); place++) {
                    for (Supplier<Input> input : everything()) {
                        if (FORMS == 0 && random.nextInt(4) != 0) {
                            continue;
                        }
                        int number = built.size() + 1;
                        try {
                            List<Input> inputs = new ArrayList<>();
                            for (Operand o : form.inputs()) {
                                inputs.add(inputs.size() == place ? input.get() : fitting(o, number));
                            }
                            Step step = step(form, inputs, number, form.results().size() == 1
                                    && random.nextInt(4) == 0);
                            program(target, List.of(step));
                            built.add(step);
                        } catch (IllegalArgumentException e) {
                            assertTrue(e.getMessage().length() > 20, e.getMessage());
                            refused++;
                        }
                    }
                }
            }
        }
        assertFalse(built.isEmpty());
        List<String> complaints = new ArrayList<>();
        for (int i = 0; i < built.size(); i += STEPS_AT_ONCE) {
            compile(target, built.subList(i, Math.min(built.size(), i + STEPS_AT_ONCE)), complaints);
        }
        System.err.println(target + ": " + refused + " refused, " + built.size() + " compiled");
        assertEquals("", complaints.stream().collect(Collectors.joining("\n")));
    }

    private static boolean isAsked(PtxInstruction form, Target target) {
        return form.gate().admits(target) && !EveryFormCompilesTest.isRefusedBy13_3(form)
                && !(form instanceof Setmaxnreg) && !(form instanceof Wgmma w && w.n() > 32)
                && (target.equals(Target.SM_90A) || form.gate().minimumTarget().major() == target.major());
    }

    private static void compile(Target target, List<Step> steps, List<String> complaints) {
        try {
            EmbeddedCompiler.compile(nvrtc, CudaEmitter.emit(program(target, steps)).text(), "drawn", target,
                    KernelCompiler.OPTIONS);
        } catch (CompilationException e) {
            if (steps.size() > 1) {
                compile(target, steps.subList(0, steps.size() / 2), complaints);
                compile(target, steps.subList(steps.size() / 2, steps.size()), complaints);
                return;
            }
            CudaSource source = CudaEmitter.emit(program(target, steps));
            int last = source.stepLines().size();
            complaints.add(source.text().lines().skip(source.lineOf(last) - 1).takeWhile(l -> !l.endsWith(";"))
                    .collect(Collectors.joining())
                    + source.text().lines().skip(source.lineOf(last) - 1).dropWhile(l -> !l.endsWith(";")).findFirst()
                    .orElse("") + ": " + e.getMessage().lines()
                    .filter(l -> l.contains("error") || l.contains("fatal")).findFirst().orElse(e.getMessage()));
        }
    }
}

package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.compile.Bindings;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.compile.ProgramCompiler;
import dev.tilewright.reference.op.NotRun;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which forms of the catalogue the reference takes: every one that sm_90 has, except the ones named here. */
class PerformedFormsTest {
    private static final MemorySegment MEMORY = MemorySegment.ofArray(new byte[64]);

    @Test
    void everyFormOfSm90IsTakenButThese() {
        Set<String> refused = new TreeSet<>();
        int taken = 0;
        Predicate<Object> share = Thorough.share(12);
        for (PtxInstruction form : (Iterable<PtxInstruction>) Catalogue.forms()::iterator) {
            if (!(form instanceof Cvta || form instanceof Getctarank || form instanceof Mapa)
                    && !share.test(form)) {
                continue;
            }
            Optional<String> why = compile(form);
            if (why.isEmpty()) {
                taken++;
                assertTrue(!form.emitOnly(), form.opcode());
            } else {
                assertTrue(why.get().contains(form.emitOnly() ? form.opcode() + " is for " : form.opcode()), why.get());
                if (form.evidence() == Evidence.INEXACT) {
                    assertTrue(why.get().contains(" is not exact"), why.get());
                } else if (!form.emitOnly()) {
                    refused.add(form.opcode().replaceAll("(?<=tensor)\\.\\dd", "")
                            .replaceAll("\\.L2::cache_hint|\\.multicast::cluster", "")
                            .replaceAll("(?<=reduce.async.bulk).*", ""));
                }
            }
        }
        assertEquals(Set.of("cvta.const.u64", "cvta.local.u64", "cvta.param.u64", "cvta.param::entry.u64",
                "cvta.to.const.u64", "cvta.to.local.u64", "cvta.to.param.u64", "cvta.to.param::entry.u64",
                "getctarank.u32", "mapa.u32"), refused);
        assertTrue(taken > Thorough.of(250, 3000), "forms taken: " + taken);
    }

    /** @return why it is not run; empty where it is */
    private static Optional<String> compile(PtxInstruction form) {
        int rank = (int) form.operands().stream().filter(o -> o.kind() == Operand.Kind.COORDINATE).count();
        Parameter.TensorMap map = new Parameter.TensorMap("map", Math.max(1, rank));
        List<Long> dims = Stream.generate(() -> 16L).limit(map.rank()).toList();
        List<Integer> box = new ArrayList<>(Stream.generate(() -> 1).limit(map.rank()).toList());
        box.set(0, 16);
        List<Input> inputs = new ArrayList<>();
        List<Expr.Var> results = new ArrayList<>();
        List<Step> steps = new ArrayList<>();
        for (Operand o : form.operands()) {
            if (RegistersOf.isRegisters(o)) {
                Register register = RegistersOf.of(o);
                steps.add(new Step("declare", new Operation.Declare(register, Optional.empty(), false)));
                inputs.add(Input.of(register));
            } else if (o.kind().isOutput()) {
                results.add(new Expr.Var("result_" + o.name(), o.kind().isWide() ? IntType.S64 : IntType.S32));
            } else {
                inputs.add(input(o, map));
            }
        }
        steps.add(new Step("perform", new Operation.Issue(form, inputs, results)));
        TileProgram program = new TileProgram("one_form", "performs it", 32, 2, List.of(SmallKernel.OUT, map),
                new SharedLayout(List.of(SmallKernel.BARRIERS, SmallKernel.BUFFER)), steps);
        CompiledProgram compiled = new ProgramCompiler(program,
                new Bindings(program, Map.of(SmallKernel.OUT, new Binding.Memory(MEMORY), map,
                new Binding.BoundTensorMap(TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, dims, box,
                Swizzle.NONE),
                        MemorySegment.ofArray(new byte[1 << 4 * map.rank()])))), new GridShape(Dim3.of(2), Dim3.of(2)),
                                null).compile();
        return Arrays.stream(compiled.ops()).filter(NotRun.class::isInstance).map(op -> ((NotRun) op).why())
                .findFirst();
    }

    private static Input input(Operand o, Parameter.TensorMap map) {
        return switch (o.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> o.name().equals("mbar") ? Input.of(SmallKernel.barrier(0))
                    : Input.of(SmallKernel.buffer(0));
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION -> Input.of(SmallKernel.out(0));
            case GENERIC_ADDRESS, GENERIC_DESTINATION -> Input.of(SmallKernel.buffer(0));
            case TENSOR_MAP -> Input.of(map);
            case U128 -> new Input.Wide(Expr.of(0L), Expr.of(0L));
            default -> o.kind().isWide() ? Input.of(0L) : Input.of(o.name().equals("threads") ? 32 : 0);
        };
    }
}

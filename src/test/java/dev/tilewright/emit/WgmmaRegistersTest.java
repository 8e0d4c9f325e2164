package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Remembered;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Where a program is refused because {@code wgmma} takes more registers than threads have, ptxas refuses it, too. */
class WgmmaRegistersTest {
    private static final int WARPGROUP = 128;
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Int A = new Parameter.Int("a", IntType.S64);
    private static final Parameter.Int B = new Parameter.Int("b", IntType.S64);

    /** @param widest columns of the widest product that is built, of which the next is by {@code step} wider */
    private record Edge(int threads, int blocks, int widest, int step, IntFunction<Wgmma> of) { }

    private static final List<Edge> EDGES = List.of(
            new Edge(1024, 2, 8, 8, n -> new WgmmaFloat(MmaTypes.F32_E5M2_E4M3, n)),
            new Edge(512, 3, 32, 8, n -> new WgmmaFloat(MmaTypes.F16_F16_F16, n).withRegistersA()),
            new Edge(1024, 0, 64, 16, n -> new WgmmaInteger(MmaTypes.S32_S8_U8, n).withRegistersA()),
            new Edge(544, 1, 136, 8, n -> new WgmmaFloat(MmaTypes.F32_BF16_BF16, n)));

    /** Of a product of all threads, whose sums go to memory. */
    private static TileProgram program(Wgmma form, int threads, int blocks) {
        boolean words = form.types().d().bits() == Short.SIZE || form.types().isInteger();
        int count = form.n() * form.types().d().bits() / 64;
        return new TileProgram("product", "one product", threads, List.of(OUT, A, B), new SharedLayout(List.of()),
                Body.steps(body -> {
                    Register sums = body.registers("sums", words ? form.types().isInteger() ? ValueType.I32
                            : ValueType.U32 : ValueType.F32, count);
                    Register left = body.registers("left", ValueType.U32, 4);
                    for (int i = 0; i < count; i++) {
                        body.assign(sums.at(i), A.value().plus(i).toValue().to(sums.type()));
                    }
                    for (int i = 0; i < left.count(); i++) {
                        body.assign(left.at(i), B.value().plus(i).toValue().to(ValueType.U32));
                    }
                    body.issue(new WgmmaFence());
                    body.issue(form, Input.of(sums), form.registersA() ? Input.of(left) : Input.of(A.value()),
                            Input.of(B.value()), Input.of(1));
                    body.issue(new WgmmaCommitGroup());
                    body.issue(new WgmmaWaitGroup(0));
                    for (int i = 0; i < count; i++) {
                        body.store(new Address.Global(OUT, Builtin.THREAD.times(count).plus(i).times(4)), sums.at(i));
                    }
                })).withAtOnce(blocks);
    }

    private static void compile(Nvrtc nvrtc, String text) {
        EmbeddedCompiler.compile(nvrtc, text, "product", Target.SM_90A, List.of());
    }

    @Test
    void whatIsBuiltIsCompiledAndWhatIsRefusedIsNot() {
        Nvrtc nvrtc = EmbeddedCompiler.release("13.3");
        for (Edge edge : EDGES) {
            compile(nvrtc, CudaEmitter.emit(program(edge.of.apply(edge.widest), edge.threads, edge.blocks)).text());
            Wgmma wider = edge.of.apply(edge.widest + edge.step);
            assertThrows(OutOfRegistersException.class, () -> program(wider, edge.threads, edge.blocks),
                    wider::toString);
            String alone = CudaEmitter.emit(program(wider, WARPGROUP, 0)).text();
            String bounds = "__launch_bounds__(" + WARPGROUP + ")";
            assertTrue(alone.contains(bounds), alone);
            String crowded = alone.replace(bounds, "__launch_bounds__(" + edge.threads + (edge.blocks == 0 ? ""
                    : ", " + edge.blocks) + ")");
            String said = Remembered.answer(List.of("NVRTC's refusal", nvrtc.version(), crowded), () ->
                    assertThrows(CompilationException.class, () -> compile(nvrtc, crowded), wider::toString)
                    .getMessage());
            assertTrue(said.contains("egister"), said);
        }
    }

    @Test
    void theMessageSaysWhatThereIsAndWhatWouldDo() {
        assertEquals("wgmma.mma_async.sync.aligned.m64n16k32.f32.e5m2.e4m3 takes at least 34 registers of each thread, "
                + "and 2 blocks at once of 1024 threads leave it 32: use fewer threads, or fewer blocks at once, or "
                + "fewer columns a product", assertThrows(OutOfRegistersException.class, () -> program(
                new WgmmaFloat(MmaTypes.F32_E5M2_E4M3, 16), 1024, 2)).getMessage());
        assertEquals("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 takes at least 90 registers of each thread,"
                + " and a block of 1024 threads leaves it 64: use fewer threads, or fewer columns a product",
                assertThrows(OutOfRegistersException.class, () -> program(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 128),
                1024, 0)).getMessage());
    }
}

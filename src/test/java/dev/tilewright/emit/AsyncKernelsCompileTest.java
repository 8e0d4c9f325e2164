package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.AsyncKernels;
import dev.tilewright.program.AtomicKernels;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.OffsetKernels;
import dev.tilewright.program.RaggedKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;
import dev.tilewright.verify.draw.WarpPrograms;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels with clusters, remote addresses and waits for values: what is emitted for them, and that NVRTC 12.9 compiles
 * it.
 */
class AsyncKernelsCompileTest {
    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("12.9");
    }

    static Stream<TileProgram> programs() {
        return Stream.concat(Stream.concat(WarpKernels.all().stream().map(WarpKernels.Case::program),
                Stream.of(WarpKernels.dependent(true), new WarpPrograms(1, 30).program(),
                new WarpPrograms(2, 30).program())), others());
    }

    private static Stream<TileProgram> others() {
        return Stream.concat(AsyncKernels.all().stream().map(AsyncKernels.Case::program),
                Stream.of(AtomicKernels.program(Space.GLOBAL), AtomicKernels.program(Space.SHARED_CTA),
                        GridKernels.places(new Dim3(8, 4, 2), ClusterSize.NONE),
                        GridKernels.places(Dim3.of(8, 4), ClusterSize.of(new Dim3(2, 2, 2))),
                        GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH),
                                GridKernels.neighbours(ClusterSize.AT_LAUNCH, true),
                        GridKernels.warps(new Dim3(4, 4, 4)),
                        RaggedKernels.launch(RaggedKernels.Way.WRAPS_AROUND, 1, 0).program(), OffsetKernels.copy(0)));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void itCompilesForTheTargetThatItSaysItNeeds(TileProgram program) {
        for (EmitOptions options : List.of(EmitOptions.DEFAULT, EmitOptions.BOUNDED)) {
            CudaSource source = CudaEmitter.emit(program, options);
            assertEquals(program.minimumTarget(), source.minimumTarget());
            EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), source.minimumTarget(),
                    KernelCompiler.OPTIONS);
        }
    }

    @Test
    void clustersAreInTheKernelsHeadAndNeedSm90() {
        TileProgram program = new TileProgram("pair", "two blocks", 32, 2, List.of(), new SharedLayout(List.of()),
                List.of());
        String text = CudaEmitter.emit(program).text();
        assertTrue(text.contains("extern \"C\" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(32)\npair("),
                text);
        assertTrue(text.contains("0 bytes of dynamic shared memory, a multiple of 2 blocks."), text);
        assertEquals(Target.SM_90, program.minimumTarget());
        assertThrows(UnavailableFormException.class, () -> program.requireAvailable(PtxVersion.of(8, 0), Target.SM_89));
        assertEquals("(int)__clusterRelativeBlockRank() + (int)__clusterSizeInBlocks()",
                new ExprText(new NameScope()).of(Builtin.CLUSTER_RANK.plus(Builtin.CLUSTER_SIZE)));
    }

    @Test
    void clustersOfSeveralDimensionsAndOfTheLaunchsChoice() {
        String fixed = CudaEmitter.emit(GridKernels.places(Dim3.of(8, 4), ClusterSize.of(Dim3.of(4, 2)))).text();
        assertTrue(fixed.contains("void __cluster_dims__(4, 2, 1) __launch_bounds__(32)\n"), fixed);
        assertTrue(fixed.contains("Launch: 8 x 4 threads per block, 0 bytes of dynamic shared memory, a multiple of "
                + "4 x 2"), fixed);
        assertTrue(fixed.contains("(int)__clusterRelativeBlockIdx().y"), fixed);
        TileProgram open = GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH);
        String text = CudaEmitter.emit(open).text();
        assertTrue(text.contains("extern \"C\" __global__ void __launch_bounds__(32)\n"), text);
        assertTrue(text.contains("memory, whole clusters of any size."), text);
        assertEquals(Target.SM_90, open.minimumTarget());
    }

    @Test
    void aWaitForAValueLoadsItAgain() {
        TileProgram program = AsyncKernels.all().stream().map(AsyncKernels.Case::program)
                .filter(p -> p.name().equals("neighbours")).findFirst().orElseThrow();
        String text = CudaEmitter.emit(program).text();
        assertTrue(text.contains("while (!(state == 1)) {\n        state = (int)ptx::ld_acquire_gpu_global_u32("),
                text);
        String bounded = CudaEmitter.emit(program, new EmitOptions(7)).text();
        assertTrue(bounded.contains("for (unsigned polls = 0; !(state == 1); ++polls) {\n        if (polls == 7u) "
                + "__trap();\n        state = "), bounded);
    }
}

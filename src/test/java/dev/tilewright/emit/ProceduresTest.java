package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutantKind;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.ProcedureKernels;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Procedures: their text, that it compiles, that they do what the same steps do where they are called, and that whoever
 * speaks of a step finds it in one.
 */
class ProceduresTest {
    private static final TileProgram CALLED = ProcedureKernels.called();
    /** The first and the last step of the procedure that loads a tile. */
    private static final int FIRST_OF_LOAD = 6;
    private static final int LAST_OF_LOAD = 8;
    private static final String FROM_PROCEDURES_ON = """
            // Loads a tile into a stage; one thread runs this.
            __device__ __forceinline__ void load_tile(const unsigned char* source, const TensorMap& map,
                    unsigned char* const ring, unsigned long long* const full, const int tile, const int stage) {
                // announce the tile
                ptx::mbarrier_arrive_expect_tx(ptx::shared_address(full + stage), 64);
                ptx::bulk_load(ptx::shared_address(ring + stage * 64), source + (long long)(tile * 64), 64,
                        ptx::shared_address(full + stage));
                ptx::prefetch_tensormap(&map);
            }

            // Says that a place is written.
            __device__ __forceinline__ void mark(unsigned char* result, const int place) {
                // one for each place
                ptx::st_relaxed_gpu_global_b32(result + (long long)(place + 256), 1);
            }

            // Writes a stage's tile to the result.
            __device__ __forceinline__ void show_tile(unsigned char* result, const int width, const float factor,
                    unsigned char* const ring, const int tile, const int stage) {
                const int at = (int)threadIdx.x * 4;
                float element;
                element = *reinterpret_cast<const float*>(ring + stage * 64 + at);
                const int place = tile * width + at;
                *reinterpret_cast<float*>(result + (long long)place) = __fmul_rn(element, factor);
                mark(result, place);
            }

            extern "C" __global__ void __launch_bounds__(16)
            procedures(
                    const unsigned char* source,
                    unsigned char* result,
                    const int width,
                    const float factor,
                    const __grid_constant__ TensorMap map) {
                extern __shared__ __align__(128) unsigned char shared_memory[];
                unsigned char* const ring = shared_memory;  // 128 bytes
                unsigned long long* const full = reinterpret_cast<unsigned long long*>(shared_memory + 128);  // 2 \
            mbarriers

                if ((int)threadIdx.x == 0) {
                    for (int i = 0; i < 2; ++i) {
                        ptx::mbarrier_init(ptx::shared_address(full + i), 1);
                    }
                    ptx::fence_mbarrier_init();
                    load_tile(source, map, ring, full, 0, 0);
                    load_tile(source, map, ring, full, 1, 1);
                }
                // the barriers are there
                __syncthreads();
                // a tile a turn
                for (int turn = 0; turn < 4; ++turn) {
                    const int stage = turn % 2;
                    // the tile has landed
                    ptx::mbarrier_wait_parity(ptx::shared_address(full + stage), turn / 2);
                    // scale it on its way out
                    show_tile(result, width, factor, ring, turn, stage);
                    // the stage is free
                    __syncthreads();
                    if ((int)threadIdx.x == 0 && turn < 2) {
                        load_tile(source, map, ring, full, turn + 2, stage);
                    }
                }
            }
            """;

    @Test
    void theText() {
        String text = CudaEmitter.emit(CALLED).text();
        assertEquals(FROM_PROCEDURES_ON, text.substring(text.indexOf("// Loads a tile")));
    }

    @Test
    void itCompiles() {
        for (EmitOptions options : List.of(EmitOptions.DEFAULT, EmitOptions.BOUNDED)) {
            CudaSource source = CudaEmitter.emit(CALLED, options);
            EmbeddedCompiler.kernels(EmbeddedCompiler.release("12.9"), source.text(), List.of(source.kernelName()),
                    Target.SM_90A);
        }
    }

    @Test
    void theBytesAreThoseOfTheStepsThemselves() {
        assertEquals(List.of(), ProcedureKernels.inlined().procedures());
        byte[] called = run(CALLED);
        assertArrayEquals(run(ProcedureKernels.inlined()), called);
        MemorySegment result = MemorySegment.ofArray(called);
        for (int i = 0; i < ProcedureKernels.BYTES / 4; i++) {
            assertEquals(2f * i, result.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i));
            assertEquals(1, result.get(ValueLayout.JAVA_INT_UNALIGNED, ProcedureKernels.BYTES + 4L * i));
        }
    }

    private static byte[] run(TileProgram program) {
        List<MemorySegment> memory = ProcedureKernels.memory();
        Reference.run(ProcedureKernels.launch(program, ProcedureKernels.BYTES / 4), memory);
        return memory.get(1).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void everyStepIsNumberedOnceAndHasItsLine() {
        StepNumbers steps = new StepNumbers(CALLED);
        assertEquals(List.of("if", "loop over i", new MbarrierInit().summary(), new FenceMbarrierInit().summary(),
                // The first call, with the steps of the procedure, and the second.
                "Loads a tile into a stage; one thread runs this.", "announce the tile",
                new BulkLoad().summary(), new PrefetchTensormap().summary(),
                "Loads a tile into a stage; one thread runs this.", "the barriers are there", "a tile a turn",
                "let stage", "the tile has landed", "scale it on its way out", "let at",
                "let element", "load element", "let place", "store a value", "Says that a place is written.",
                "one for each place", "the stage is free", "if", "Loads a tile into a stage; one thread runs this."),
                IntStream.rangeClosed(1, steps.count()).mapToObj(n -> steps.step(n).purpose()).toList());
        CudaSource source = CudaEmitter.emit(CALLED);
        List<String> lines = source.text().lines().map(String::strip).toList();
        List<String> starts = List.of("if ((int)threadIdx.x == 0) {", "for (int i = 0;", "ptx::mbarrier_init(",
                "ptx::fence_mbarrier_init();", "load_tile(source, map, ring, full, 0, 0);",
                "ptx::mbarrier_arrive_expect_tx(ptx::shared_address(full + stage), 64);",
                "ptx::bulk_load(", "ptx::prefetch_tensormap(&map);", "load_tile(source, map, ring, full, 1, 1);",
                "__syncthreads();", "for (int turn = 0;", "const int stage = turn % 2;", "ptx::mbarrier_wait_parity(",
                "show_tile(result, width, factor, ring, turn, stage);", "const int at =", "float element;", "element =",
                "const int place = tile * width + at;", "*reinterpret_cast<float*>", "mark(result, place);",
                "ptx::st_relaxed_gpu_global_b32(", "__syncthreads();", "if ((int)threadIdx.x == 0 && turn < 2) {",
                "load_tile(source, map, ring, full, turn + 2, stage);");
        assertEquals(starts.size(), source.stepLines().size());
        for (int number = 1; number <= starts.size(); number++) {
            String line = lines.get(source.lineOf(number) - 1);
            assertTrue(line.startsWith(starts.get(number - 1)), line);
        }
        assertEquals(FIRST_OF_LOAD, steps.firstOf(ProcedureKernels.LOAD));
        assertEquals(LAST_OF_LOAD + 1, steps.endOf(ProcedureKernels.LOAD));
    }

    @Test
    void aMistakeInAProcedureIsSaidOfItsStep() {
        ReferenceException e = assertThrows(ReferenceException.class,
                () -> Reference.run(ProcedureKernels.launch(CALLED, 256), ProcedureKernels.memory()));
        assertEquals("kernel 'procedures', block 0, thread 0, step 'one for each place': bytes 512 to 515 are outside "
                + "'result', "
                + "which has 512 bytes", e.getMessage());
        assertEquals(21, e.step());
    }

    @Test
    void aHazardInAProcedureIsSaidOfItsStep() {
        assertEquals(List.of(), check(CALLED));
        Mutant endless = mutants(MutantKind.WITHOUT_SYNC, 22).getFirst();
        Finding finding = check(endless.program()).getFirst();
        // The load into a stage that other threads may still be reading: one in the procedure, read in the other one.
        StepNumbers steps = new StepNumbers(endless.program());
        assertEquals("load element", steps.step(finding.otherStep() == 7 ? finding.step() : finding.otherStep())
                .purpose());
        assertEquals(Set.of(7, 17), Set.of(finding.step(), finding.otherStep()));
        assertEquals(CudaEmitter.emit(endless.program()).lineOf(finding.step()), finding.line());
    }

    private static List<Finding> check(TileProgram program) {
        return HazardCheck.check(ProcedureKernels.launch(program, ProcedureKernels.BYTES / 4),
                ProcedureKernels.memory()).findings();
    }

    private static List<Mutant> mutants(MutantKind kind, int step) {
        return Mutants.of(CALLED).stream().filter(m -> m.kind() == kind && m.step() == step).toList();
    }

    @Test
    void aMutantEditsAProcedureOnceForAllCalls() {
        List<Mutant> mutants = Mutants.of(CALLED);
        assertEquals(mutants.size(), mutants.stream().map(Mutant::name).distinct().count());
        int edited = 0;
        for (Mutant m : mutants) {
            assertEquals(m.program().procedures().size(), m.program().procedures().stream().map(Procedure::name)
                    .distinct().count(), m.name());
            Procedure load = m.program().procedures().stream().filter(p -> p.name().equals("load_tile")).findFirst()
                    .orElseThrow();
            if (m.step() >= FIRST_OF_LOAD && m.step() <= LAST_OF_LOAD) {
                assertNotEquals(ProcedureKernels.LOAD, load, m.name());
                edited++;
            } else {
                assertEquals(ProcedureKernels.LOAD, load, m.name());
            }
        }
        assertTrue(edited > 3, "mutants of the procedure: " + edited);
        Mutant without = mutants(MutantKind.WITHOUT_LOAD, 7).getFirst();
        Procedure load = without.program().procedures().getFirst();
        assertEquals(List.of("announce the tile", new PrefetchTensormap().summary()),
                load.body().stream().map(Step::purpose).toList());
        assertEquals(3, new StepNumbers(without.program()).all().stream()
                .filter(s -> s.operation() instanceof Operation.Call c && c.procedure().equals(load)).count());
        assertEquals(Optional.of(7), IntStream.rangeClosed(1, 24).boxed().filter(n -> !without.origins().contains(n))
                .findFirst());
        assertEquals(Set.of("load_tile", "show_tile", "mark"),
                without.program().procedures().stream().map(Procedure::name).collect(Collectors.toSet()));
    }

}

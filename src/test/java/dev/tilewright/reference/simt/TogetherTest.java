package dev.tilewright.reference.simt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.OrdinaryTries;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.compile.Bindings;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.compile.ProgramCompiler;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.reference.schedule.RunBudget;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that go together leave the bytes that they leave one by one, after as many steps, or make the same mistake:
 * in correct kernels, and in kernels that one edit has broken, where the bytes depend on who comes first.
 */
class TogetherTest {
    private static final long MOST_STEPS = 3_000_000;
    private static final List<Preset> COPIES = Presets.ALL.stream().filter(p -> p.name().contains("copy")
            || p.name().contains("scale") || p.name().contains("add") || p.name().contains("pipeline")
            || p.name().contains("rebind")).toList();

    private record Outcome(List<byte[]> memory, String mistake, long steps) {
        void assertIs(Outcome other, String name) {
            assertEquals(mistake, other.mistake, name);
            for (int i = 0; i < memory.size(); i++) {
                assertArrayEquals(memory.get(i), other.memory.get(i), name);
            }
            assertEquals(steps, other.steps, name);
        }
    }

    static List<Preset> presets() {
        return COPIES;
    }

    private static List<MemorySegment> memory(ElementwiseKernel kernel, Launch launch, long elements, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<MemorySegment> memory = new ArrayList<>();
        for (int i = 0; i < kernel.step().inputs(); i++) {
            memory.add(MemorySegment.ofArray(random.ints(elements * kernel.type().bytes() / 4 + 4).toArray()));
        }
        memory.add(MemorySegment.ofArray(new int[(int) (elements * kernel.resultType().bytes() / 4 + 4)]));
        memory.add(MemorySegment.ofArray(new long[(int) kernel.workspaceBytes(launch) / 8 + 1]));
        return memory;
    }

    private static CompiledProgram compiled(Launch launch, List<MemorySegment> memory) {
        return new ProgramCompiler(launch.program(), new Bindings(launch.program(), Binding.of(launch, memory), true),
                launch.shape(), null).compile();
    }

    private static Outcome run(Launch launch, List<MemorySegment> memory, boolean together) {
        CompiledProgram compiled = compiled(launch, memory);
        String mistake = "";
        long steps = 0;
        try {
            steps = new GridRunner(compiled, launch.blocks(), (byte) 0xCD,
                    new RunBudget("kernel", MOST_STEPS, Optional.empty(), _ -> { }),
                    together ? LaneProgram.of(compiled) : null).run(1);
        } catch (ReferenceStoppedException e) {
            return new Outcome(List.of(), "stopped", 0);
        } catch (ReferenceException e) {
            mistake = e.getMessage();
        }
        return new Outcome(memory.stream().map(m -> m.toArray(ValueLayout.JAVA_BYTE)).toList(), mistake,
                steps);
    }

    private static void same(ElementwiseKernel kernel, Launch launch, long elements, long seed, String name) {
        run(launch, memory(kernel, launch, elements, seed), false)
                .assertIs(run(launch, memory(kernel, launch, elements, seed), true), name);
    }

    @Property(tries = 100)
    @OrdinaryTries(25)
    void copiesOfAnyShape(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Preset preset = COPIES.get(random.nextInt(COPIES.size()));
        ElementType type = List.of(ElementType.U8, ElementType.U16, ElementType.F32, ElementType.F64)
                .get(random.nextInt(4));
        int rank = preset.name().contains("1d") ? 1 : preset.name().contains("3d") ? 3
                : preset.name().contains("4d") ? 4
                : preset.name().contains("5d") ? 5 : 2;
        ElementwiseKernel kernel = preset.build(type, rank, Schedule.parse("threads=" + 32 * (1 + random.nextInt(8))));
        List<Long> shape = new ArrayList<>();
        for (int d = 1; d < rank; d++) {
            shape.add(1L + random.nextInt(rank == 2 ? 150 : 9));
        }
        shape.add((16L / type.bytes()) * (1 + random.nextInt(30)));
        long elements = shape.stream().reduce(1L, (a, b) -> a * b);
        Launch launch = kernel.launch(shape, 3, GridPolicy.tilesEach(1 + random.nextInt(9)));
        same(kernel, launch, elements, seed, preset.name() + " of " + type + " " + shape + " on " + launch.blocks());
    }

    @ParameterizedTest
    @OrdinaryShare(8)
    @MethodSource("presets")
    void mutants(Preset preset) {
        CopyCase small = SmallCase.of(preset, Schedule.DEFAULT, ElementType.F32);
        long elements = small.shape().stream().reduce(1L, (a, b) -> a * b);
        for (Mutant mutant : Mutants.of(small.kernel().program())) {
            same(small.kernel(), small.launch().of(mutant.program()), elements, 1, preset.name() + " " + mutant);
        }
    }

    @Test
    void theseGoTogether() {
        for (String name : List.of("bulk-copy", "tensor-copy", "tensor-copy-128b", "vector-copy",
                "cp-async-pipeline")) {
            ElementwiseKernel kernel = Presets.named(name).build(ElementType.F32, 2, Schedule.DEFAULT);
            Launch launch = kernel.launch(List.of(64L, 64L), 0);
            assertNotNull(LaneProgram.of(compiled(launch, memory(kernel, launch, 64 * 64, 1))), name);
        }
    }
}

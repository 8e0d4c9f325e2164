package dev.tilewright.program;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A kernel, described once: emitted as CUDA C++, run on the CPU, and looked at for hazards from this one value.
 *
 * <p>Checked when built: names are unique and defined before they are used, every parameter and shared region that a
 * step names is declared, and shared memory fits the largest that any supported GPU has.
 *
 * @param name the kernel's name
 * @param purpose one line for people
 * @param threads threads of a block, 1 to 1024
 * @param clusterBlocks blocks of a cluster, which run at the same time and reach each other's shared memory: 1 to 8, or
 *     16, which not every GPU has (CUDA Programming Guide, "Thread Block Clusters"); a grid is a multiple of it
 */
public record TileProgram(String name, String purpose, int threads, int clusterBlocks, List<Parameter> parameters,
        SharedLayout shared, List<Step> body) {
    /** The largest cluster that every GPU with clusters has. */
    public static final int PORTABLE_CLUSTER = 8;
    private static final int LARGEST_CLUSTER = 16;
    /** An instruction that exists wherever clusters do. */
    private static final PtxInstruction CLUSTERS = new BarrierClusterWait();

    public TileProgram {
        Identifiers.require(name);
        Step.requireOneLine("a kernel's purpose", purpose);
        if (threads < 1 || threads > 1024) {
            throw new IllegalArgumentException("threads per block must be in [1, 1024], got " + threads);
        }
        if (clusterBlocks < 1 || clusterBlocks > PORTABLE_CLUSTER && clusterBlocks != LARGEST_CLUSTER) {
            throw new IllegalArgumentException("blocks per cluster must be in [1, " + PORTABLE_CLUSTER + "] or "
                    + LARGEST_CLUSTER + ", got " + clusterBlocks);
        }
        if (shared.bytes() > SharedLayout.LARGEST) {
            throw new IllegalArgumentException("kernel '" + name + "' needs " + shared.bytes()
                    + " bytes of shared memory, the largest block has " + SharedLayout.LARGEST);
        }
        parameters = List.copyOf(parameters);
        body = List.copyOf(body);
        new ProgramCheck(parameters, shared, clusterBlocks > 1).check(body);
    }

    /** A kernel without clusters. */
    public TileProgram(
            String name, String purpose, int threads, List<Parameter> parameters, SharedLayout shared,
            List<Step> body) {
        this(name, purpose, threads, 1, parameters, shared, body);
    }

    /** Refuses a grid that is not made of whole clusters. */
    public void requireGrid(int blocks) {
        if (blocks % clusterBlocks != 0) {
            throw new IllegalArgumentException("kernel '" + name + "' runs in clusters of " + clusterBlocks
                    + " blocks: the grid must be a multiple of that, got " + blocks + " blocks");
        }
    }

    /** The forms of every PTX instruction in the program, each once, in order of first use. */
    public Set<PtxInstruction> instructions() {
        Set<PtxInstruction> forms = new LinkedHashSet<>();
        for (Step step : new StepNumbers(this).all()) {
            if (step.operation() instanceof Operation.Instruction i) {
                forms.add(i.form());
            }
        }
        return forms;
    }

    /** Every procedure that the program calls, each once; one that another calls comes before it. */
    public List<Procedure> procedures() {
        Set<Procedure> found = new LinkedHashSet<>();
        collect(body, found);
        return List.copyOf(found);
    }

    private static void collect(List<Step> steps, Set<Procedure> found) {
        for (Step step : steps) {
            step.operation().bodies().forEach(inner -> collect(inner, found));
            if (step.operation() instanceof Operation.Call call) {
                found.add(call.procedure());
            }
        }
    }

    /** The PTX versions and targets that have every instruction of the program, and its clusters. */
    public Gate gate() {
        Gate instructions = instructions().stream().map(PtxInstruction::gate).reduce(Gate.ANY, Gate::and);
        return clusterBlocks > 1 ? instructions.and(CLUSTERS.gate()) : instructions;
    }

    /** The least capable target that has every instruction of the program; sm_80 is the least that Tilewright knows. */
    public Target minimumTarget() {
        return gate().minimumTarget();
    }

    /**
     * Refuses a compiler or a target that lacks an instruction of the program.
     *
     * @throws dev.tilewright.ptx.UnavailableFormException with the first such instruction and what it needs
     */
    public void requireAvailable(PtxVersion version, Target target) {
        instructions().forEach(form -> form.spelledFor(version, target));
        if (clusterBlocks > 1) {
            CLUSTERS.spelledFor(version, target);
        }
    }
}

package dev.tilewright.program;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.ValueGates;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Multiprocessor;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A kernel, described once: emitted as CUDA C++, run on the CPU, and looked at for hazards from this one value.
 *
 * <p>Checked when built: names are unique and defined before they are used, every parameter and shared region that a
 * step names is declared, and shared memory fits the largest that any supported GPU has.
 *
 * @param name the kernel's name
 * @param purpose one line for people
 * @param block threads of a block in each dimension: at most 1024, 1024 and 64, altogether 1 to 1024. Warps are of
 *     threads with neighbouring numbers, see {@link Dim3}
 * @param cluster blocks of a cluster; a grid is a multiple of it
 * @param atOnce blocks that a multiprocessor is to run at once, for which the compiler gives threads no more registers
 *     than there are; 0 leaves both to the compiler
 */
public record TileProgram(String name, String purpose, Dim3 block, ClusterSize cluster, List<Parameter> parameters,
        SharedLayout shared, List<Step> body, int atOnce) {
    private static final int MOST_THREADS = 1024;
    private static final int MOST_THREADS_Z = 64;
    /** An instruction that exists wherever clusters do. */
    private static final PtxInstruction CLUSTERS = new BarrierClusterWait();

    public TileProgram {
        NotNull.all("name, purpose, block, cluster, parameters, shared, body",
                name, purpose, block, cluster, parameters, shared, body);
        parameters = List.copyOf(parameters);
        body = List.copyOf(body);
        Identifiers.require(name);
        Identifiers.requireOneLine("a kernel's purpose", purpose);
        if (block.count() < 1 || block.count() > MOST_THREADS) {
            throw new IllegalArgumentException("threads per block must be in [1, " + MOST_THREADS + "], got "
                    + block.text());
        }
        if (block.z() > MOST_THREADS_Z) {
            throw new IllegalArgumentException("a block has at most " + MOST_THREADS_Z + " threads along z, got "
                    + block.text());
        }
        if (atOnce < 0 || atOnce * block.count() > Multiprocessor.MOST_THREADS) {
            throw new IllegalArgumentException("a multiprocessor runs 0 to "
                    + Multiprocessor.MOST_THREADS / block.count() + " blocks of " + block.text()
                    + " threads at once, got " + atOnce);
        }
        if (shared.bytes() > SharedLayout.LARGEST) {
            throw new IllegalArgumentException("kernel '" + name + "' needs " + shared.bytes()
                    + " bytes of shared memory, the largest block has " + SharedLayout.LARGEST);
        }
        new ProgramCheck(parameters, shared, block, cluster.hasClusters()).check(body);
        new WarpCheck(block).check(body);
        RegisterCheck.check(block, body, atOnce);
    }

    /** A kernel of which the compiler decides how many blocks run at once. */
    public TileProgram(String name, String purpose, Dim3 block, ClusterSize cluster, List<Parameter> parameters,
            SharedLayout shared, List<Step> body) {
        this(name, purpose, block, cluster, parameters, shared, body, 0);
    }

    /**
     * A kernel whose threads and clusters have one dimension.
     *
     * @param threads of a block
     * @param clusterBlocks of a cluster
     */
    public TileProgram(String name, String purpose, int threads, int clusterBlocks, List<Parameter> parameters,
            SharedLayout shared, List<Step> body) {
        NotNull.all("name, purpose, parameters, shared, body", name, purpose, parameters, shared, body);
        this(name, purpose, line("threads per block must be in [1, " + MOST_THREADS + "]", threads),
                ClusterSize.of(line("blocks per cluster must be in [1, 8] or 16", clusterBlocks)), parameters, shared,
                        body);
    }

    /**
     * A kernel without clusters whose threads have one dimension.
     *
     * @param threads of a block
     */
    public TileProgram(
            String name, String purpose, int threads, List<Parameter> parameters, SharedLayout shared,
            List<Step> body) {
        NotNull.all("parameters, body", parameters, body);
        this(name, purpose, threads, 1, parameters, shared, body);
    }

    private static Dim3 line(String rule, int count) {
        if (count < 0) {
            throw new IllegalArgumentException(rule + ", got " + count);
        }
        return Dim3.of(count);
    }

    /** Threads of a block. */
    public int threads() {
        return (int) block.count();
    }

    /** Blocks of a cluster; 1 where launches choose and none has yet. */
    public int clusterBlocks() {
        return cluster.count();
    }

    /** This kernel with other steps. */
    public TileProgram withBody(List<Step> steps) {
        NotNull.all("steps", steps);
        return new TileProgram(name, purpose, block, cluster, parameters, shared, steps, atOnce);
    }

    /**
     * This kernel, compiled for a number of blocks at once on a multiprocessor.
     *
     * @param blocks 0 leaves it to the compiler
     */
    public TileProgram withAtOnce(int blocks) {
        return new TileProgram(name, purpose, block, cluster, parameters, shared, body, blocks);
    }

    /** This kernel in clusters of a size that a launch has chosen. */
    TileProgram inClustersOf(Dim3 blocks) {
        return new TileProgram(name, purpose, block, new ClusterSize(blocks, true), parameters, shared, body,
                atOnce);
    }

    /** Refuses a grid of one dimension that is not made of whole clusters. */
    public void requireGrid(int blocks) {
        if (blocks % clusterBlocks() != 0) {
            throw new IllegalArgumentException("kernel '" + name + "' runs in clusters of " + clusterBlocks()
                    + " blocks: the grid must be a multiple of that, got " + Counted.of(blocks, "block"));
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
        return new StepNumbers(this).procedures();
    }

    /** The PTX versions and targets that have every instruction of the program, and its clusters. */
    public Gate gate() {
        Gate instructions = Stream.concat(instructions().stream().map(PtxInstruction::gate), valueGates())
                .reduce(Gate.ANY, Gate::and);
        return cluster.hasClusters() ? instructions.and(CLUSTERS.gate()) : instructions;
    }

    private Stream<Gate> valueGates() {
        Set<Conversion> conversions = new LinkedHashSet<>();
        new StepNumbers(this).all().stream().flatMap(step -> step.operation().parts())
                .forEach(value -> collect(value, conversions));
        return conversions.stream().map(ValueGates::of);
    }

    private static void collect(Value value, Set<Conversion> conversions) {
        ValueSearch.any(value, v -> {
            switch (v) {
                case Value.Convert c -> conversions.add(c.conversion());
                case Value.Call c -> {
                    c.function().lets().forEach(let -> collect(let.value(), conversions));
                    collect(c.function().result(), conversions);
                }
                default -> { }
            }
            return false;
        });
    }

    /**
     * Whether the kernel waits for the grid before it ({@link Body#waitForPriorGrid}), so that its launches may begin
     * before that grid has ended.
     */
    public boolean waitsForPriorGrid() {
        return instructions().contains(new Griddepcontrol(Griddepcontrol.Action.WAIT));
    }

    /** The least capable target that has every instruction of the program; sm_80 is the least that Tilewright knows. */
    public Target minimumTarget() {
        return gate().minimumTarget();
    }

    /**
     * Refuses a compiler or a target that lacks an instruction of the program.
     *
     * @throws UnavailableFormException with the first such instruction and what it needs
     */
    public void requireAvailable(PtxVersion version, Target target) {
        NotNull.all("version, target", version, target);
        instructions().forEach(form -> form.spelledFor(version, target));
        if (cluster.hasClusters()) {
            CLUSTERS.spelledFor(version, target);
        }
        valueGates().filter(gate -> !gate.admits(version, target)).findFirst().ifPresent(gate -> {
            throw new UnavailableFormException("kernel '" + name + "' converts from or to fp8, which needs " + gate
                    + "; asked for PTX " + version + " and " + target);
        });
    }

    /** All of it, the steps of each procedure once. */
    @Override
    public String toString() {
        return "TileProgram[name=" + name + ", purpose=" + purpose + ", block=" + block + ", cluster=" + cluster
                + ", parameters=" + parameters + ", shared=" + shared + ", body=" + body + ", procedures="
                + procedures().stream().map(p -> p + " " + p.body()).toList() + "]";
    }
}

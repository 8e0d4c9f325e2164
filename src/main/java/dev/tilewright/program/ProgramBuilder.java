package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedArray;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Writes a {@link TileProgram} whose parameters, shared memory and barriers are declared where they are used, also
 * within the kernel's steps. Parameters stand in the kernel's signature in the order in which they are declared.
 *
 * {@snippet :
 * ProgramBuilder k = ProgramBuilder.of("square", 128);
 * Parameter.Pointer x = k.input("x", ValueType.F32);
 * Parameter.Pointer y = k.output("y", ValueType.F32);
 * Expr n = k.int32("n");
 * TileProgram square = k.build(b -> {
 *     Expr i = b.let("i", Builtin.BLOCK.times(128).plus(Builtin.THREAD));
 *     b.when(i.lessThan(n), in -> {
 *         Value v = in.load("v", x, i);
 *         in.store(y, i, v.times(v));
 *     });
 * });
 * }
 */
public final class ProgramBuilder {
    private final String kernelName;
    private final Dim3 block;
    private String purpose;
    private ClusterSize cluster = ClusterSize.NONE;
    private final List<Parameter> parameters = new ArrayList<>();
    private final List<SharedRegion> regions = new ArrayList<>();
    /** The barriers that the kernel begins by initialising, with the arrivals of a phase. */
    private final Map<SharedRegion.Barriers, Integer> arrivals = new LinkedHashMap<>();

    private ProgramBuilder(String name, Dim3 block) {
        this.kernelName = Objects.requireNonNull(name, "name");
        this.block = Objects.requireNonNull(block, "block");
        this.purpose = name;
    }

    /**
     * Starts a kernel.
     *
     * @param threads of a block of one dimension
     */
    public static ProgramBuilder of(String name, int threads) {
        Objects.requireNonNull(name, "name");
        return new ProgramBuilder(name, Dim3.of(threads));
    }

    /**
     * Starts a kernel.
     *
     * @param block its threads in each dimension
     */
    public static ProgramBuilder of(String name, Dim3 block) {
        return new ProgramBuilder(name, block);
    }

    /** One line for people; the kernel's name, without this. */
    public ProgramBuilder purpose(String text) {
        purpose = Objects.requireNonNull(text, "text");
        return this;
    }

    /** Blocks of a cluster; none, without this. */
    public ProgramBuilder cluster(ClusterSize blocks) {
        cluster = Objects.requireNonNull(blocks, "blocks");
        return this;
    }

    // ---- parameters

    /** Declares a pointer to elements that the kernel only reads. */
    public Parameter.Pointer input(String name, ValueType elementType) {
        return parameter(Parameter.Pointer.reading(name, elementType));
    }

    /** Declares a pointer to elements that the kernel writes, and may read. */
    public Parameter.Pointer output(String name, ValueType elementType) {
        return parameter(Parameter.Pointer.writing(name, elementType));
    }

    /** Declares an integer of 32 bits, and returns its value. */
    public Expr int32(String name) {
        return parameter(new Parameter.Int(name, IntType.S32)).value();
    }

    /** Declares an integer of 64 bits, and returns its value. */
    public Expr int64(String name) {
        return parameter(new Parameter.Int(name, IntType.S64)).value();
    }

    /** Declares a number to compute with, and returns its value. */
    public Value scalar(String name, ElementType type) {
        return parameter(new Parameter.Scalar(name, type)).value();
    }

    /**
     * Declares a tensor map.
     *
     * @param rank dimensions of the tensor, 1 to 5
     */
    public Parameter.TensorMap tensorMap(String name, int rank) {
        return parameter(new Parameter.TensorMap(name, rank));
    }

    /** Declares a parameter that was made elsewhere, and returns it. */
    public <P extends Parameter> P parameter(P parameter) {
        Objects.requireNonNull(parameter, "parameter");
        parameters.add(parameter);
        return parameter;
    }

    // ---- shared memory

    /**
     * Declares an array in shared memory, aligned to 16 bytes.
     *
     * @param count elements
     */
    public SharedArray shared(String name, ValueType elementType, int count) {
        SharedArray declared = SharedArray.of(name, elementType, count);
        region(declared.buffer());
        return declared;
    }

    /**
     * Declares shared memory as bytes.
     *
     * @param alignment of its address, in bytes: a power of two up to 1024
     */
    public SharedRegion.Buffer buffer(String name, int bytes, int alignment) {
        return region(new SharedRegion.Buffer(name, bytes, alignment));
    }

    /**
     * Declares an mbarrier, which the kernel begins by initialising.
     *
     * @param phaseArrivals how many arrivals complete a phase
     */
    public Address.Barrier barrier(String name, int phaseArrivals) {
        return barriers(name, 1, phaseArrivals).at(0);
    }

    /**
     * Declares mbarriers, which the kernel begins by initialising: one thread does so, then all threads of the block,
     * or of the cluster, meet.
     *
     * @param count of barriers
     * @param phaseArrivals how many arrivals complete a phase of each
     */
    public SharedRegion.Barriers barriers(String name, int count, int phaseArrivals) {
        SharedRegion.Barriers declared = region(new SharedRegion.Barriers(name, count));
        arrivals.put(declared, phaseArrivals);
        return declared;
    }

    /** Declares a region of shared memory that was made elsewhere, such as a reduction's, and returns it. */
    public <R extends SharedRegion> R region(R region) {
        Objects.requireNonNull(region, "region");
        regions.add(region);
        return region;
    }

    /** Declares several regions of shared memory, such as a ring's. */
    public void regions(List<? extends SharedRegion> declared) {
        NotNull.all("declared", declared);
        declared.forEach(this::region);
    }

    /**
     * Makes the kernel.
     *
     * @param code adds its steps
     */
    public TileProgram build(Consumer<Body> code) {
        Objects.requireNonNull(code, "code");
        TileProgram program = program(Body.steps(code));
        return arrivals.isEmpty() ? program : program.withBody(Stream.concat(
                Body.steps(body -> initialise(body, program)).stream(), program.body().stream()).toList());
    }

    private TileProgram program(List<Step> steps) {
        return new TileProgram(kernelName, purpose, block, cluster, parameters, new SharedLayout(regions), steps);
    }

    private void initialise(Body body, TileProgram program) {
        body.purpose("one thread sets up the barriers").when(Builtin.THREAD_NUMBER.isEqualTo(0), one -> {
            arrivals.forEach((barriers, count) -> {
                if (barriers.count() == 1) {
                    one.barrierInit(barriers.at(0), count);
                } else {
                    one.loop("barrier", barriers.count(), (each, i) -> each.barrierInit(barriers.at(i), count));
                }
            });
            if (program.minimumTarget().supports(Target.SM_90)) {
                one.purpose("make them visible to the copy engine and the cluster").barrierInitFence();
            }
        });
        if (program.cluster().hasClusters()) {
            body.purpose("no thread of the cluster touches a barrier before it is set up").clusterSync();
        } else {
            body.purpose("no thread touches a barrier before it is set up").syncThreads();
        }
    }

    /** {@code builder of kernel square}. */
    @Override
    public String toString() {
        return "builder of kernel " + kernelName;
    }
}

package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.EmulatedFunction;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Results;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What a launch asks for, read from a CUlaunchConfig or a CUDA_KERNEL_NODE_PARAMS_v2; layouts by {@code cuda.h}, see
 * {@link dev.tilewright.gpu.cuda.LaunchConfig} and {@link dev.tilewright.gpu.cuda.KernelNode}.
 *
 * @param cluster null if it says nothing of clusters
 */
record LaunchRequest(Dim3 grid, Dim3 block, int sharedBytes, Dim3 cluster, boolean cooperative) {
    private static final long CONFIG_BYTES = 56;
    private static final long ATTRIBUTE_BYTES = 72;
    private static final int COOPERATIVE = 2;
    private static final int CLUSTER_DIMENSION = 4;
    private static final int MOST_BLOCKS_YZ = 65_535;

    /** From a CUlaunchConfig. */
    static LaunchRequest ofConfig(MemorySegment config) {
        Refusal.unless(config.address() != 0, DriverApi.INVALID_VALUE);
        MemorySegment fields = config.reinterpret(CONFIG_BYTES);
        int count = fields.get(JAVA_INT, 48);
        Dim3 cluster = null;
        boolean cooperative = false;
        if (count != 0) {
            Refusal.unless(count > 0 && fields.get(JAVA_LONG, 40) != 0, DriverApi.INVALID_VALUE);
            MemorySegment attributes = fields.get(ADDRESS, 40).reinterpret(count * ATTRIBUTE_BYTES);
            for (int i = 0; i < count; i++) {
                MemorySegment attribute = attributes.asSlice(i * ATTRIBUTE_BYTES, ATTRIBUTE_BYTES);
                switch (attribute.get(JAVA_INT, 0)) {
                    case CLUSTER_DIMENSION -> cluster = three(attribute, 8);
                    case COOPERATIVE -> cooperative = attribute.get(JAVA_INT, 8) != 0;
                    default -> { }
                }
            }
        }
        return new LaunchRequest(three(fields, 0), three(fields, 12), fields.get(JAVA_INT, 24), cluster, cooperative);
    }

    /** From a CUDA_KERNEL_NODE_PARAMS_v2; it says nothing of clusters. */
    static LaunchRequest ofNode(MemorySegment node, Dim3 cluster, boolean cooperative) {
        return new LaunchRequest(three(node, 8), three(node, 20), node.get(JAVA_INT, 32), cluster, cooperative);
    }

    /** The CUstream of a CUlaunchConfig. */
    static long stream(MemorySegment config) {
        return config.reinterpret(CONFIG_BYTES).get(JAVA_LONG, 32);
    }

    private static Dim3 three(MemorySegment fields, long at) {
        int x = fields.get(JAVA_INT, at);
        int y = fields.get(JAVA_INT, at + 4);
        int z = fields.get(JAVA_INT, at + 8);
        Refusal.unless(x > 0 && y > 0 && z > 0, DriverApi.INVALID_VALUE);
        return new Dim3(x, y, z);
    }

    /** The clusters that it runs in; refuses clusters that the function cannot have. */
    Dim3 clusterFor(EmulatedFunction function) {
        ClusterSize own = function.program().cluster();
        Dim3 asked = cluster == null ? own.blocks() : cluster;
        Refusal.unless((own.chosenAtLaunch() || asked.equals(own.blocks()))
                && asked.count() <= function.mostClusterBlocks(), Results.INVALID_CLUSTER_SIZE);
        return asked;
    }

    /**
     * The launch, its arguments copied; refuses what the driver would.
     *
     * @param parameters pointers to the arguments
     */
    KernelTask of(EmulatedFunction function, MemorySegment parameters, Machine machine) {
        TileProgram program = function.program();
        Dim3 blocks = clusterFor(function);
        Refusal.unless(grid.count() <= Integer.MAX_VALUE && grid.y() <= MOST_BLOCKS_YZ && grid.z() <= MOST_BLOCKS_YZ
                && grid.x() % blocks.x() == 0 && grid.y() % blocks.y() == 0 && grid.z() % blocks.z() == 0
                && block.equals(program.block()) && function.fits(sharedBytes), DriverApi.INVALID_VALUE);
        int resident = Occupancy.resident(function, program.threads(), sharedBytes);
        Refusal.unless(!cooperative || grid.count() <= resident, Results.COOPERATIVE_LAUNCH_TOO_LARGE);
        return new KernelTask(machine, function, this, blocks, Math.max(resident, (int) blocks.count()),
                arguments(program, parameters));
    }

    private static List<MemorySegment> arguments(TileProgram program, MemorySegment parameters) {
        int count = program.parameters().size();
        Refusal.unless(count == 0 || parameters.address() != 0, DriverApi.INVALID_VALUE);
        MemorySegment pointers = parameters.reinterpret(count * ADDRESS.byteSize());
        List<MemorySegment> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment argument = pointers.getAtIndex(ADDRESS, i);
            Refusal.unless(argument.address() != 0, DriverApi.INVALID_VALUE);
            byte[] bytes = argument.reinterpret(bytesOf(program.parameters().get(i))).toArray(JAVA_BYTE);
            arguments.add(MemorySegment.ofArray(bytes));
        }
        return arguments;
    }

    private static long bytesOf(Parameter parameter) {
        return switch (parameter) {
            case Parameter.Pointer _ -> ADDRESS.byteSize();
            case Parameter.Int i -> i.type() == IntType.S32 ? 4 : 8;
            case Parameter.Scalar s -> s.type().bytes();
            case Parameter.TensorMap _ -> TensorMapEncoder.BYTES;
        };
    }
}

package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedLayout;

/** A kernel of a module and its attributes: CUfunction_attribute, {@code cuda.h}. */
public final class EmulatedFunction {
    /** Dynamic shared memory that a block has without asking for more. */
    public static final int SHARED_WITHOUT_ASKING = 48 << 10;

    private static final int MAX_THREADS_PER_BLOCK = 0;
    private static final int SHARED_SIZE_BYTES = 1;
    private static final int NUM_REGS = 4;
    private static final int PTX_VERSION = 5;
    private static final int BINARY_VERSION = 6;
    private static final int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
    private static final int PREFERRED_SHARED_MEMORY_CARVEOUT = 9;
    private static final int REQUIRED_CLUSTER_WIDTH = 11;
    private static final int REQUIRED_CLUSTER_HEIGHT = 12;
    private static final int REQUIRED_CLUSTER_DEPTH = 13;
    private static final int NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14;
    private static final int CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15;
    private static final int REGISTERS = 32;

    private final EmulatedModule module;
    private final int[] values = new int[CLUSTER_SCHEDULING_POLICY_PREFERENCE + 1];

    public EmulatedFunction(EmulatedModule module) {
        this.module = module;
        DeviceModel model = module.context().device().model();
        int capability = 10 * model.major() + model.minor();
        values[MAX_THREADS_PER_BLOCK] = program().threads();
        values[SHARED_SIZE_BYTES] = 0;
        values[NUM_REGS] = REGISTERS;
        values[PTX_VERSION] = capability;
        values[BINARY_VERSION] = capability;
        values[MAX_DYNAMIC_SHARED_SIZE_BYTES] = Math.min(SHARED_WITHOUT_ASKING, model.sharedMemoryPerBlock());
        values[PREFERRED_SHARED_MEMORY_CARVEOUT] = -1;
        if (!program().cluster().chosenAtLaunch() && program().clusterBlocks() > 1) {
            Dim3 blocks = program().cluster().blocks();
            values[REQUIRED_CLUSTER_WIDTH] = blocks.x();
            values[REQUIRED_CLUSTER_HEIGHT] = blocks.y();
            values[REQUIRED_CLUSTER_DEPTH] = blocks.z();
        }
    }

    public EmulatedModule module() {
        return module;
    }

    public TileProgram program() {
        return module.program();
    }

    public DeviceModel model() {
        return module.context().device().model();
    }

    public int get(int attribute) {
        Refusal.unless(attribute >= 0 && attribute < values.length, DriverApi.INVALID_VALUE);
        return values[attribute];
    }

    public void set(int attribute, int value) {
        boolean fits = switch (attribute) {
            case MAX_DYNAMIC_SHARED_SIZE_BYTES -> value >= 0 && value <= model().sharedMemoryPerBlock();
            case PREFERRED_SHARED_MEMORY_CARVEOUT -> value >= -1 && value <= 100;
            case NON_PORTABLE_CLUSTER_SIZE_ALLOWED -> value == 0 || value == 1;
            case CLUSTER_SCHEDULING_POLICY_PREFERENCE -> value >= 0 && value <= 2;
            default -> false;
        };
        Refusal.unless(fits, DriverApi.INVALID_VALUE);
        values[attribute] = value;
    }

    /** Dynamic shared memory that a launch may ask for. */
    public int mostShared() {
        return values[MAX_DYNAMIC_SHARED_SIZE_BYTES];
    }

    /** Blocks of the largest cluster that a launch may ask for. */
    public int mostClusterBlocks() {
        return values[NON_PORTABLE_CLUSTER_SIZE_ALLOWED] == 1 ? 2 * ClusterSize.PORTABLE : ClusterSize.PORTABLE;
    }

    /** Whether a block fits at all. */
    public boolean fits(long sharedBytes) {
        return sharedBytes >= 0 && sharedBytes <= Math.min(mostShared(), SharedLayout.LARGEST);
    }
}

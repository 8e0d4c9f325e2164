package dev.tilewright.verify;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What cases run on, one at a time: a GPU, or the reference executor in its place. */
public interface CaseDevice {
    /** What the reference executor is called where a GPU's name would stand. */
    String REFERENCE = "the reference executor";

    /** A kernel that a device keeps ready. */
    interface Ready extends AutoCloseable {
        @Override
        void close();
    }

    /** The device's name. */
    String name();

    /** The most capable target whose kernels it runs. */
    Target target();

    /** The most dynamic shared memory of one block, in bytes. */
    int sharedMemoryPerBlock();

    /**
     * Whether what launches leave in memory is right by definition, so that others are compared with it and it with
     * none.
     */
    boolean definesResults();

    /** Makes a kernel ready, which it stays until the result is closed. Any thread may ask, at any time. */
    Ready load(TileProgram program);

    /**
     * Runs a launch on host memory to its end.
     *
     * @param memory what the launch's buffer numbers stand for; the kernel changes none that is read-only
     */
    void run(Launch launch, List<MemorySegment> memory);

    /** A GPU, which its opener closes. */
    static CaseDevice of(Gpu gpu) {
        return new CaseDevice() {
            @Override
            public String name() {
                return gpu.name();
            }

            @Override
            public Target target() {
                return gpu.target();
            }

            @Override
            public int sharedMemoryPerBlock() {
                return gpu.info().sharedMemoryPerBlock();
            }

            @Override
            public boolean definesResults() {
                return gpu.isEmulated();
            }

            @Override
            public Ready load(TileProgram program) {
                return gpu.load(program)::close;
            }

            @Override
            public void run(Launch launch, List<MemorySegment> memory) {
                gpu.run(launch, memory);
            }
        };
    }

    /** The reference executor. */
    static CaseDevice reference(ReferenceOptions options) {
        return new CaseDevice() {
            @Override
            public String name() {
                return REFERENCE;
            }

            @Override
            public Target target() {
                return Target.SM_90A;
            }

            @Override
            public int sharedMemoryPerBlock() {
                return SharedLayout.LARGEST;
            }

            @Override
            public boolean definesResults() {
                return true;
            }

            @Override
            public Ready load(TileProgram program) {
                return () -> { };
            }

            @Override
            public void run(Launch launch, List<MemorySegment> memory) {
                Reference.run(launch, memory, options);
            }
        };
    }
}

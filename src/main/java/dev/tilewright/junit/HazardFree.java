package dev.tilewright.junit;

import dev.tilewright.NotNull;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.opentest4j.AssertionFailedError;

/**
 * Demands of a launch that its accesses are ordered: every read of a shared or global byte after the write that it
 * needs, every write after the reads of what was there, through the right proxy, and all barriers used as they must be.
 * Runs on the CPU and needs no GPU; what it looks for is said in {@link HazardCheck} and
 * {@link dev.tilewright.hazard.HazardCode}.
 *
 * {@snippet lang=java :
 * @Test
 * void myKernelOrdersItsAccesses() {
 *     HazardFree.assertHazardFree(kernel, Shape.of(100, 64), Scalars.NONE);
 * }
 * }
 */
public final class HazardFree {
    /** Few, so that blocks take several tiles where programs let them. */
    private static final int MULTIPROCESSORS = 2;
    private static final long ALIGNMENT = 256;

    private HazardFree() { }

    /**
     * Fails with the whole report if the check finds something in the launch, or cannot follow it to its end.
     *
     * @param memory what the launch's buffer numbers stand for, in bytes; it is left as the run leaves it
     * @return the report, of a clean launch
     * @throws AssertionFailedError with every finding: what happened, what is missing, the smallest change that would
     *         do
     * @throws dev.tilewright.BadRequestException if the launch is too large to be checked as a whole; see the other
     *         method
     */
    public static HazardReport assertHazardFree(Launch launch, List<MemorySegment> memory) {
        NotNull.all("launch, memory", launch, memory);
        return assertHazardFree(launch, memory, HazardOptions.DEFAULT);
    }

    /**
     * Fails with the whole report if a check with these options finds something in the launch.
     *
     * @param options how much is checked, for example {@link HazardOptions#firstBlocks(int)} of a large launch
     * @return the report, of a clean launch
     */
    public static HazardReport assertHazardFree(Launch launch, List<MemorySegment> memory, HazardOptions options) {
        NotNull.all("launch, memory, options", launch, memory, options);
        HazardReport report = HazardCheck.check(launch, memory, options);
        if (!report.isClean()) {
            throw new AssertionFailedError("kernel '" + report.kernel() + "' is not free of hazards:\n" + report);
        }
        if (!report.isAnalysed() || !report.complete()) {
            throw new AssertionFailedError("kernel '" + report.kernel()
                    + "' could not be followed to its end, so that it is not known to be free of hazards:\n" + report);
        }
        return report;
    }

    /**
     * Fails with the whole report if the check finds something in a builder's kernel, on arrays of zeros.
     *
     * @param shape the arrays' dimensions, outermost first
     * @param scalars what the step's scalars are
     * @return the report, of a clean launch
     */
    public static HazardReport assertHazardFree(ElementwiseKernel kernel, List<Long> shape, Scalars scalars) {
        NotNull.all("kernel, shape, scalars", kernel, shape, scalars);
        Launch launch = kernel.launch(shape, scalars);
        try (Arena arena = Arena.ofShared()) {
            return assertHazardFree(launch, KernelMemory.of(kernel, launch, shape, arena));
        }
    }

    /**
     * Fails with the whole report if the check finds something in the program that a kernel over arrays, such as a tile
     * kernel, has for a target.
     *
     * @param target whose program is checked, such as {@code Target.SM_90A}; no GPU is needed
     * @param arrays all of the kernel's, by name: their shapes decide the program; they are not changed
     * @param scalars all of the kernel's, by name
     * @return the report, of a clean launch
     */
    public static HazardReport assertHazardFree(KernelTemplate kernel, Target target, Map<String, HostArray> arrays,
            Map<String, Number> scalars) {
        NotNull.all("kernel, target, arrays, scalars", kernel, target, arrays, scalars);
        NamedArrays named = new NamedArrays(kernel, arrays, scalars);
        try (Arena arena = Arena.ofShared()) {
            return assertHazardFree(named.launch(target, MULTIPROCESSORS), named.inOrder().stream().map(array ->
                    arena.allocate(array.memory().byteSize(), ALIGNMENT).copyFrom(array.memory())).toList());
        }
    }
}

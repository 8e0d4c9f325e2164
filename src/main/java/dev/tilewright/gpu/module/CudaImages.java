package dev.tilewright.gpu.module;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.emit.Spelling;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.KernelCacheStats;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;
import java.util.function.Supplier;

/**
 * Kernels for a real GPU: emitted, and compiled by NVRTC where the cache does not have them. NVRTC is looked for with
 * the first kernel.
 */
public record CudaImages(DeviceInfo info, Supplier<KernelCompiler> compiler, EmitOptions emitOptions)
        implements KernelImages {
    @Override
    public Compilation of(TileProgram program) {
        requireCapable(program, info);
        return compiler.get().loaded((version, compilerName) -> source(program, info.target(), emitOptions, version,
                compilerName), program.name(), info.target(), KernelCompiler.OPTIONS);
    }

    @Override
    public Compilation of(CudaFunction function) {
        return compiler.get().loaded((_, _) -> function.source(), function.name(), info.target(), function.options());
    }

    @Override
    public KernelCacheStats cache() {
        return compiler.get().cache();
    }

    /** Refuses a program with instructions that the device does not have. */
    public static void requireCapable(TileProgram program, DeviceInfo info) {
        if (!program.gate().admits(info.target())) {
            throw new MissingRequirementException("kernel '" + program.name() + "' needs " + program.minimumTarget()
                    + " or later, and " + info.name() + " is " + info.target());
        }
    }

    /** The source as a compiler and a target have it; refuses a program that needs more of the compiler. */
    public static String source(TileProgram program, Target target, EmitOptions options, PtxVersion version,
            String compilerName) {
        try {
            program.requireAvailable(version, target);
        } catch (UnavailableFormException e) {
            throw new MissingRequirementException("kernel '" + program.name() + "': " + e.getMessage()
                    + ", which is what " + compilerName + " takes: install a newer CUDA toolkit", e);
        }
        return CudaEmitter.emit(program, options.spelledFor(new Spelling(version, target))).text();
    }
}

package dev.tilewright.verify;

import dev.tilewright.builder.Preset;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;

/** Compiles a preset for a target, with no GPU. */
public final class CompileCheck {

    private CompileCheck() {
    }

    /**
     * Compiles the preset's kernel for f32.
     *
     * @return bytes of the cubin
     * @throws dev.tilewright.gpu.compile.CompilationException if it does not compile
     */
    public static int run(KernelCompiler compiler, Preset preset, Target target) {
        CudaSource source = CudaEmitter.emit(preset.build(ElementType.F32).program());
        return compiler.cubin(source.text(), source.kernelName(), target, KernelCompiler.OPTIONS).length;
    }
}

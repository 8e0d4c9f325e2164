package dev.tilewright.gpu;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.module.CudaImages;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources of a compiled kernel, as the assembler ({@code ptxas -v}) reports them.
 *
 * @param registers of a thread, 32 bits each
 * @param stackBytes of a thread's stack frame, in memory
 * @param spillStoreBytes that a thread writes to memory, for want of registers
 * @param spillLoadBytes that it reads back
 * @param remarks see {@link Compilation#remarks}
 */
public record KernelResources(int registers, int stackBytes, int spillStoreBytes, int spillLoadBytes,
        List<String> remarks) {
    private static final List<String> STATISTICS = List.of("--ptxas-options=-v");
    private static final Pattern SPILLS = Pattern.compile(
            "(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
    private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");

    public KernelResources {
        NotNull.all("remarks", remarks);
        remarks = List.copyOf(remarks);
    }

    /**
     * Compiles a program as a launch on a GPU of the target would, and looks at what came of it. It is not taken from
     * the cache of kernels, nor put there.
     *
     * @throws CompilationException if it does not compile
     * @throws MissingRequirementException if NVRTC does not know the target or an instruction of the program, cannot be
     *     loaded, or does not say what the kernel takes
     */
    public static KernelResources of(TileProgram program, Target target, Nvrtc nvrtc) {
        NotNull.all("program, target, nvrtc", program, target, nvrtc);
        String source = CudaImages.source(program, target, EmitOptions.DEFAULT, nvrtc.ptxVersion(), nvrtc.toString());
        List<String> options = new ArrayList<>(KernelCompiler.OPTIONS);
        options.addAll(STATISTICS);
        Nvrtc.Compiled compiled = nvrtc.compiled(source, program.name(), target, options);
        return parse(compiled.log(), compiled.compilation().remarks()).orElseThrow(() ->
                new MissingRequirementException(nvrtc + " does not say how many registers a kernel takes"));
    }

    /** @param log all that the compiler said, of one kernel */
    static Optional<KernelResources> parse(String log, List<String> remarks) {
        Matcher spills = SPILLS.matcher(log);
        Matcher used = REGISTERS.matcher(log);
        return spills.find() && used.find() ? Optional.of(new KernelResources(Integer.parseInt(used.group(1)),
                Integer.parseInt(spills.group(1)), Integer.parseInt(spills.group(2)), Integer.parseInt(spills.group(3)),
                remarks)) : Optional.empty();
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Remembered;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Target;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The NVRTC that Tilewright brings along, for tests that compile. */
public final class EmbeddedCompiler {
    private EmbeddedCompiler() {
    }

    /** Skips where there is no network to fetch it over and it is not there yet; every other failure is one. */
    public static Nvrtc release(String version) {
        try {
            return Nvrtc.find(Map.of("tilewright.nvrtc", "embedded", "tilewright.nvrtc.embedded", version),
                    Progress.NONE);
        } catch (MissingRequirementException e) {
            if (e.getCause() instanceof UnknownHostException || e.getCause() instanceof ConnectException) {
                throw new TestAbortedException("no network: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    /** Compiles a kernel that this version has not compiled before: device code comes of it, or what is thrown. */
    public static void compile(Nvrtc nvrtc, String source, String kernel, Target target, List<String> options) {
        String bytes = Remembered.answer(List.of("NVRTC", nvrtc.version(), kernel, target.toString(),
                String.join(" ", options), source),
                () -> String.valueOf(nvrtc.compile(source, kernel, target, options).length));
        assertTrue(Integer.parseInt(bytes) > 0);
    }

    /** What this version says of a kernel that it does not compile; empty where it does. A crash is thrown. */
    public static String refusal(Nvrtc nvrtc, String source, String kernel, Target target, List<String> options) {
        return Remembered.answer(List.of("NVRTC refusal", nvrtc.version(), kernel, target.toString(),
                String.join(" ", options), source), () -> {
                    try {
                        assertTrue(nvrtc.compile(source, kernel, target, options).length > 0);
                        return "";
                    } catch (CompilationException e) {
                        if (e.getCause() != null) {
                            throw e;
                        }
                        return e.getMessage();
                    }
                });
    }

    /** Compiles kernels that this version has not compiled before, each of which has to be in the device code. */
    public static void kernels(Nvrtc nvrtc, String source, List<String> kernels, Target target) {
        remarks(nvrtc, source, kernels, target);
    }

    /** What the compiler remarks of a source's kernels, each of which has to be in the device code. */
    public static List<String> remarks(Nvrtc nvrtc, String source, List<String> kernels, Target target) {
        return Remembered.answer(List.of("NVRTC remarks", nvrtc.version(), String.join(" ", kernels),
                target.toString(), String.join(" ", KernelCompiler.OPTIONS), source), () -> {
                    Compilation made = nvrtc.compilation(source, kernels.getFirst(), target, KernelCompiler.OPTIONS);
                    String bytes = new String(made.cubin(), StandardCharsets.ISO_8859_1);
                    assertTrue(bytes.startsWith("\177ELF"), "it is a cubin");
                    for (String kernel : kernels) {
                        assertTrue(bytes.contains("\0" + kernel + "\0") || bytes.contains(".text." + kernel + "\0"),
                                () -> kernel + " is in the cubin");
                    }
                    return String.join("\n", made.remarks());
                }).lines().toList();
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Remembered;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Target;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The NVRTC that Tilewright brings along, for tests that compile. */
final class EmbeddedCompiler {
    private EmbeddedCompiler() {
    }

    /** Skips where there is no network to fetch it over and it is not there yet; every other failure is one. */
    static Nvrtc release(String version) {
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
    static void compile(Nvrtc nvrtc, String source, String kernel, Target target, List<String> options) {
        String bytes = Remembered.answer(List.of("NVRTC", nvrtc.version(), kernel, target.toString(),
                String.join(" ", options), source),
                () -> String.valueOf(nvrtc.compile(source, kernel, target, options).length));
        assertTrue(Integer.parseInt(bytes) > 0);
    }
}

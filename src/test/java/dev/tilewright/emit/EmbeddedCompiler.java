package dev.tilewright.emit;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.Nvrtc;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The NVRTC that Tilewright brings along, for tests that compile. */
final class EmbeddedCompiler {
    private EmbeddedCompiler() {
    }

    /** Skips where there is no network to fetch it over and it is not there yet; every other failure is one. */
    static Nvrtc release(String version) {
        try {
            return Nvrtc.find(Map.of("tilewright.nvrtc", "embedded", "tilewright.nvrtc.embedded", version), Progress.NONE);
        } catch (MissingRequirementException e) {
            if (e.getCause() instanceof UnknownHostException || e.getCause() instanceof ConnectException) {
                throw new TestAbortedException("no network: " + e.getMessage(), e);
            }
            throw e;
        }
    }
}

package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel was compiled by NVRTC. Loaded only once somebody records. */
@Name("dev.tilewright.Compile")
@Label("Compilation")
@Description("A kernel was compiled by NVRTC.")
@Category({"Tilewright", "GPU"})
@StackTrace(true)
final class CompileEvent extends Watched {
    @Label("Kernel")
    String kernel;
    @Label("Target")
    String target;
    @Label("Characters of Source")
    long sourceCharacters;
    @Label("Bytes of Cubin")
    @DataAmount(DataAmount.BYTES)
    long cubinBytes;

    CompileEvent(String kernel, String target, long sourceCharacters) {
        this.kernel = kernel;
        this.target = target;
        this.sourceCharacters = sourceCharacters;
        begin();
    }

    @Override
    public void bytes(long bytes) {
        cubinBytes = bytes;
    }
}

package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel was compiled by NVRTC. Loaded only once somebody records. */
@Name("dev.tilewright.Compile")
@Label("Compilation")
@Description("A kernel was compiled by NVRTC.")
@Category({"Tilewright", "GPU"})
@StackTrace(true)
final class CompileEvent extends Event implements Span {
    /** Asked whether anybody records, so that asking allocates nothing. */
    private static final CompileEvent ASKED = new CompileEvent();

    @Label("Kernel")
    String kernel;
    @Label("Target")
    String target;
    @Label("Characters of Source")
    long sourceCharacters;
    @Label("Bytes of Cubin")
    @DataAmount(DataAmount.BYTES)
    long cubinBytes;

    static boolean isOn() {
        return ASKED.isEnabled();
    }

    static Span begin(String kernel, String target, long sourceCharacters) {
        CompileEvent event = new CompileEvent();
        event.kernel = kernel;
        event.target = target;
        event.sourceCharacters = sourceCharacters;
        event.begin();
        return event;
    }

    @Override
    public void bytes(long bytes) {
        cubinBytes = bytes;
    }

    @Override
    public void close() {
        commit();
    }
}

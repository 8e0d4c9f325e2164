package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The kernel cache was asked for a kernel. Loaded only once somebody records. */
@Name("dev.tilewright.CacheLookup")
@Label("Kernel Cache Look-up")
@Description("The kernel cache was asked for a kernel.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class CacheLookupEvent extends Watched {
    @Label("Key")
    String key;
    @Label("Hit")
    boolean hit;
    @Label("Bytes of Cubin")
    @DataAmount(DataAmount.BYTES)
    long bytes;

    CacheLookupEvent(String key) {
        this.key = key;
        begin();
    }

    @Override
    public void answer(boolean yes) {
        hit = yes;
    }

    @Override
    public void bytes(long bytes) {
        this.bytes = bytes;
    }
}

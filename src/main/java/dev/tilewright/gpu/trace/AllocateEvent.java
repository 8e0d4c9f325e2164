package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Memory was allocated or page-locked. Loaded only once somebody records. */
@Name("dev.tilewright.Allocate")
@Label("Allocation")
@Description("Memory was allocated or page-locked.")
@Category({"Tilewright", "GPU"})
@StackTrace(true)
final class AllocateEvent extends Watched {
    @Label("Kind")
    String kind;
    @Label("Bytes")
    @DataAmount(DataAmount.BYTES)
    long bytes;
    @Label("GPU")
    int gpu;

    AllocateEvent(String kind, long bytes, int gpu) {
        this.kind = kind;
        this.bytes = bytes;
        this.gpu = gpu;
        begin();
    }
}

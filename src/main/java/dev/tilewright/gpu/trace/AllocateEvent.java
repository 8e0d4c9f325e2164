package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Memory was allocated or page-locked. Loaded only once somebody records. */
@Name("dev.tilewright.Allocate")
@Label("Allocation")
@Description("Memory was allocated or page-locked.")
@Category({"Tilewright", "GPU"})
@StackTrace(true)
final class AllocateEvent extends Event implements Span {
    /** Asked whether anybody records, so that asking allocates nothing. */
    private static final AllocateEvent ASKED = new AllocateEvent();

    @Label("Kind")
    String kind;
    @Label("Bytes")
    @DataAmount(DataAmount.BYTES)
    long bytes;
    @Label("GPU")
    int gpu;

    static boolean isOn() {
        return ASKED.isEnabled();
    }

    static Span begin(String kind, long bytes, int gpu) {
        AllocateEvent event = new AllocateEvent();
        event.kind = kind;
        event.bytes = bytes;
        event.gpu = gpu;
        event.begin();
        return event;
    }

    @Override
    public void close() {
        commit();
    }
}

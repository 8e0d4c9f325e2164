package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Memory was copied or filled; the duration is the host's, of an asynchronous copy that of its start. Loaded only once
 * somebody records.
 */
@Name("dev.tilewright.Copy")
@Label("Copy")
@Description("Memory was copied or filled; the duration is the host's, of an asynchronous copy that of its start.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class CopyEvent extends Event implements Span {
    /** Asked whether anybody records, so that asking allocates nothing. */
    private static final CopyEvent ASKED = new CopyEvent();

    @Label("Direction")
    String direction;
    @Label("Bytes")
    @DataAmount(DataAmount.BYTES)
    long bytes;
    @Label("Stream")
    String stream;
    @Label("GPU")
    int gpu;
    @Label("Asynchronous")
    boolean asynchronous;

    static boolean isOn() {
        return ASKED.isEnabled();
    }

    static Span begin(String direction, long bytes, String stream, int gpu) {
        CopyEvent event = new CopyEvent();
        event.direction = direction;
        event.bytes = bytes;
        event.stream = stream;
        event.gpu = gpu;
        event.begin();
        return event;
    }

    @Override
    public void answer(boolean yes) {
        asynchronous = yes;
    }

    @Override
    public void close() {
        commit();
    }
}

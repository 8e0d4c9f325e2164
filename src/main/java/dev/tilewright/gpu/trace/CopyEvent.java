package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
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
final class CopyEvent extends Watched {
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

    CopyEvent(String direction, long bytes, String stream, int gpu) {
        this.direction = direction;
        this.bytes = bytes;
        this.stream = stream;
        this.gpu = gpu;
        begin();
    }

    @Override
    public void answer(boolean yes) {
        asynchronous = yes;
    }
}

package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.MemorySegment;

/**
 * Page-locked pieces that one thread at a time copies through, on streams of the runtime's own which nothing of the
 * application's is in: what is in flight here is on the bus, or soon.
 */
final class StagingLane {
    private final Context context;
    private final MemorySegment memory;
    private final int pieceBytes;
    private final long up;
    private final long down;
    private final long[] events;
    private final boolean[] inFlight;
    private int turn;

    /**
     * A lane.
     *
     * @param memory all pieces, one behind the other
     * @param up the stream for copies to the device
     * @param down the stream for copies from it
     * @param events one for each piece
     */
    StagingLane(Context context, MemorySegment memory, int pieceBytes, long up, long down, long[] events) {
        this.context = context;
        this.memory = memory;
        this.pieceBytes = pieceBytes;
        this.up = up;
        this.down = down;
        this.events = events;
        this.inFlight = new boolean[events.length];
    }

    int pieces() {
        return events.length;
    }

    /** The next piece's number, by turns. What was in flight there has ended. */
    int next() {
        int piece = turn;
        turn = (turn + 1) % events.length;
        await(piece);
        return piece;
    }

    /** A piece's memory. */
    MemorySegment memory(int piece, long bytes) {
        return memory.asSlice((long) piece * pieceBytes, bytes);
    }

    /** Sends a piece to the device. */
    void up(int piece, Buffer<?> to, long at, long bytes) {
        long from = memory.address() + (long) piece * pieceBytes;
        context.call("cuMemcpyHtoDAsync of " + bytes + " bytes",
                api -> to.whileOpen(() -> api.cuMemcpyHtoDAsync(to.address() + at, from, bytes, up)));
        sent(piece, up);
    }

    /** Has a piece filled by the device. */
    void down(int piece, Buffer<?> from, long at, long bytes) {
        long to = memory.address() + (long) piece * pieceBytes;
        context.call("cuMemcpyDtoHAsync of " + bytes + " bytes",
                api -> from.whileOpen(() -> api.cuMemcpyDtoHAsync(to, from.address() + at, bytes, down)));
        sent(piece, down);
    }

    private void sent(int piece, long stream) {
        inFlight[piece] = true;
        context.call("cuEventRecord", api -> api.cuEventRecord(events[piece], stream));
    }

    /** Waits for a piece. */
    void await(int piece) {
        if (inFlight[piece]) {
            context.call("cuEventSynchronize", api -> api.cuEventSynchronize(events[piece]));
            inFlight[piece] = false;
        }
    }

    /** Waits for all pieces. */
    void awaitAll() {
        for (int i = 0; i < events.length; i++) {
            await(i);
        }
    }

    /** Makes it fit for its next use after a failure: nothing may be left in flight, whatever the driver says. */
    void abandon() {
        boolean any = false;
        for (int i = 0; i < inFlight.length; i++) {
            any |= inFlight[i];
            inFlight[i] = false;
        }
        if (any) {
            context.release("cuStreamSynchronize", api -> {
                api.cuStreamSynchronize(up);
                api.cuStreamSynchronize(down);
                return DriverApi.SUCCESS;
            });
        }
    }
}

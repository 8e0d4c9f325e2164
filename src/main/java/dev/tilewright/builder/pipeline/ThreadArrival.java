package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import java.util.function.Consumer;

/** Arrivals of each thread or of one lane of each warp. */
final class ThreadArrival {

    private ThreadArrival() {
    }

    /** @param arrive adds the one step of an arrival, whose purpose is given */
    static void write(Body body, Arrivals arrivals, String purpose, Consumer<Body> arrive) {
        if (arrivals == Arrivals.EACH_THREAD) {
            arrive.accept(body.purpose(purpose));
            return;
        }
        WarpSync.write(body, "all lanes are done");
        body.purpose("one lane for its warp").when(ThreadRange.lane().isEqualTo(0),
                one -> arrive.accept(one.purpose(purpose)));
    }
}

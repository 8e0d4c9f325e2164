package dev.tilewright.gpu.trace;

import jdk.jfr.Event;

/** A span that is an event of JDK Flight Recorder, which begins when it is made. Loaded only once somebody records. */
abstract class Watched extends Event implements WatchedSpan {

    @Override
    public final void close() {
        commit();
    }
}

package dev.tilewright.explain.timeline;

import java.util.List;

/** What a thread was seen to do in a step. */
final class TimelineEvent {
    final int block;
    final int thread;
    final int step;
    final StepAction action;
    /** How many events came before it. */
    final long order;
    /** Its number among what the thread does with others, or -1: what it does by itself, or after its trace is full. */
    int index = -1;
    /** What it concerns, such as {@code full[0] phase 1}; empty for nothing that has a name. */
    String place = "";
    /** The memory that it touches; empty where that is what it concerns. */
    String memory = "";
    long bytes;
    int turns = 1;
    /** The events that it waited for. */
    List<TimelineEvent> causes = List.of();
    /** One number for all who met here: the order of the first of them. */
    long meeting;

    TimelineEvent(int block, int thread, int step, StepAction action, long order) {
        this.block = block;
        this.thread = thread;
        this.step = step;
        this.action = action;
        this.order = order;
        this.meeting = order;
    }

    /** What threads of one role have alike. */
    record Key(int step, StepAction action, String place) { }

    Key key() {
        return new Key(step, action, place);
    }
}

package dev.tilewright.spark.executor;

import dev.tilewright.spark.Requirements;
import dev.tilewright.spark.batch.RowFormat;
import dev.tilewright.spark.batch.RowPipeline;
import dev.tilewright.spark.batch.RowShapes;
import java.util.Iterator;
import org.apache.spark.TaskContext;

/** What a task does with the rows of its partition. */
public final class RowTasks {
    private RowTasks() { }

    /**
     * The rows with their results, in their order. All that it takes is given back when the task ends, however it does.
     *
     * @param <I> a row of the data
     * @param <O> a row of the results
     */
    public static <I, O> Iterator<O> run(RowTask task, Iterator<I> rows, RowFormat<I, O> format) {
        TaskContext context = TaskContext.get();
        Requirements.require();
        DeviceRoom room = ExecutorDevices.of(task, context);
        Runnable alive = context::killTaskIfInterrupted;
        Resident mapping = room.enter(task, alive);
        RowShapes shapes = mapping.mapping().shapes();
        RowPipeline<I, O> pipeline = new RowPipeline<>(rows, format, shapes, task.columns(), task.nulls(),
                task.settings().batchBytes(), new TaskSlots(room, mapping, shapes, alive), alive);
        context.addTaskCompletionListener(_ -> {
            try {
                pipeline.close();
            } finally {
                room.leave(task.id());
            }
        });
        return pipeline;
    }
}

package dev.tilewright.spark.executor;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.JavaUtils;

/**
 * What an application's configuration says, as it travels with tasks.
 *
 * @param device what computes
 * @param memory bytes of it that all tasks of an executor may hold together; 0 for four fifths of what a GPU has free
 *     when it is opened, and no bound on the CPU
 * @param batchBytes of the rows that a task hands to the device at a time, and of their results
 * @param target whose bits the results have, such as {@code sm_90a}
 * @param exitOnFault whether an executor whose GPU is lost ends, so that the cluster starts another
 */
public record Settings(Choice device, long memory, long batchBytes, String target, boolean exitOnFault)
        implements Serializable {
    /** How the names of all settings begin. */
    public static final String PREFIX = "spark.tilewright.";
    private static final String GPU_OF_TASK = "spark.task.resource.gpu.amount";

    /** What computes on an executor. */
    public enum Choice {
        /** The GPU that Spark assigned, in one process the first one; where there is none, the CPU. */
        AUTO,
        /** The GPU that Spark assigned; a task without one fails. */
        GPU,
        /** The CPU. */
        CPU,
        /** A GPU on the CPU, for tests. */
        EMULATED
    }

    /**
     * @param local whether all is one process
     * @param assigned whether the data's own resource profile assigns tasks a GPU
     * @throws IllegalArgumentException if a value is none, or a GPU is asked for that Spark assigns to no task
     */
    public static Settings of(SparkConf conf, boolean local, boolean assigned) {
        String device = conf.get(PREFIX + "device", "auto");
        Choice choice = Arrays.stream(Choice.values()).filter(c -> c.name().equals(device.toUpperCase(Locale.ROOT)))
                .findFirst().orElseThrow(() -> new IllegalArgumentException(PREFIX + "device is '" + device
                        + "': give one of " + Arrays.stream(Choice.values()).map(c -> c.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "))));
        if (choice == Choice.GPU && !local && !assigned && !conf.contains(GPU_OF_TASK)) {
            throw new IllegalArgumentException(PREFIX + "device is gpu, and Spark assigns tasks none: declare "
                    + "spark.executor.resource.gpu.amount=1, " + GPU_OF_TASK + " and a discovery script, map an RDD "
                    + "withResources, or say auto");
        }
        if (choice == Choice.GPU && local && Gpu.list().isEmpty()) {
            throw new IllegalArgumentException(PREFIX + "device is gpu, and this process, which runs all tasks, has no "
                    + "GPU: say auto, and it computes the same bytes on its CPU");
        }
        String target = conf.get(PREFIX + "target", Target.SM_90A.toString());
        Target.parse(target);
        return new Settings(choice, bytes(conf, "memory", "0", 0), bytes(conf, "batch", "16m", 1), target,
                conf.getBoolean(PREFIX + "exitOnFault", !local));
    }

    private static long bytes(SparkConf conf, String name, String otherwise, long least) {
        String said = conf.get(PREFIX + name, otherwise);
        try {
            long bytes = JavaUtils.byteStringAsBytes(said);
            if (bytes >= least) {
                return bytes;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(PREFIX + name + " is '" + said + "': give a number of bytes, at least "
                + least + ", such as 16m or 2g");
    }
}

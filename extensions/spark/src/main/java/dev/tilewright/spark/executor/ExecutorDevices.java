package dev.tilewright.spark.executor;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.GpuOptions;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.spark.compile.DriverCompiler;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of this process: one context for each GPU that its tasks were assigned, and for the CPU none. */
public final class ExecutorDevices {
    static final Logger LOG = LoggerFactory.getLogger("dev.tilewright.spark");
    private static final int LOST = 20;
    private static final Map<String, DeviceRoom> ROOMS = new HashMap<>();
    private static boolean said;
    /** What tests put in its place. */
    private static Supplier<Gpu> emulated = Gpu::emulated;

    private ExecutorDevices() { }

    /** What computes for a task; one that is lost is replaced. */
    static DeviceRoom of(RowTask task, TaskContext context) {
        Settings settings = task.settings();
        synchronized (ROOMS) {
            return switch (settings.device()) {
                case CPU -> cpu(settings, context);
                case EMULATED -> room("emulated GPU", settings, emulated);
                case GPU, AUTO -> gpu(task, context);
            };
        }
    }

    private static DeviceRoom gpu(RowTask task, TaskContext context) {
        Settings settings = task.settings();
        int visible = Gpu.list().size();
        OptionalInt assigned = AssignedGpu.ordinal(context.resourcesJMap(), visible);
        // A local run has one process, which shares its GPUs with no other executor.
        boolean alone = SparkEnv.get().executorId().equals("driver");
        if (assigned.isEmpty() && alone && visible > 0) {
            assigned = OptionalInt.of(0);
        }
        if (assigned.isPresent()) {
            int ordinal = assigned.getAsInt();
            return room("GPU " + ordinal, settings, () -> options(task.compiler(), alone).open(ordinal));
        }
        String reason = visible == 0 ? "it has no GPU" : "Spark assigned it none of its " + visible + " GPUs";
        if (settings.device() == Settings.Choice.GPU) {
            throw new IllegalStateException("spark.tilewright.device is gpu, and this executor cannot: " + reason
                    + ": say auto, and it computes the same bytes on its CPU");
        }
        if (!said) {
            said = true;
            LOG.warn("this executor computes tile kernels on its CPU, with the bytes of a GPU: {}", reason);
        }
        return cpu(settings, context);
    }

    private static GpuOptions options(DriverCompiler compiler, boolean alone) {
        return compiler == null || alone ? Gpu.options()
                : Gpu.options().compiler(compiler.onExecutor(LOG::warn));
    }

    private static DeviceRoom cpu(Settings settings, TaskContext context) {
        int cores = Math.max(1, context.cpus());
        return ROOMS.computeIfAbsent("cpu " + cores + " " + settings.memory(), _ -> new DeviceRoom(
                new CpuDevice(settings.memory(), cores)));
    }

    private static DeviceRoom room(String name, Settings settings, Supplier<Gpu> open) {
        String key = name + " " + settings.memory();
        DeviceRoom room = ROOMS.get(key);
        if (room != null && room.device().isLost()) {
            ROOMS.remove(key);
            room.close();
            LOG.warn("{}: its context was lost; opening another", name);
            room = null;
        }
        if (room == null) {
            room = opened(name, settings, open);
            ROOMS.put(key, room);
        }
        return room;
    }

    private static DeviceRoom opened(String name, Settings settings, Supplier<Gpu> open) {
        try {
            return new DeviceRoom(new GpuDevice(open.get(), settings.memory()));
        } catch (CudaException e) {
            if (!e.contextIsLost()) {
                throw e;
            }
            if (settings.exitOnFault()) {
                LOG.error("{} cannot be used in this process any more: ending it, so that the cluster starts another",
                        name, e);
                System.exit(LOST);
            }
            throw new DeviceException(name + " cannot be used in this process any more: start it again, or take a "
                    + "cluster, whose executors end and are replaced: " + e.getMessage());
        }
    }

    /** Lets tests emulate another GPU. */
    static void emulate(Supplier<Gpu> other) {
        synchronized (ROOMS) {
            emulated = other;
        }
    }

    /** Bytes that tasks of this process hold of all devices now. */
    public static long inTasks() {
        synchronized (ROOMS) {
            return ROOMS.values().stream().mapToLong(DeviceRoom::inTasks).sum();
        }
    }
}

package dev.tilewright.doctor.machine;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.nvml.LibNvml;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A GPU as the management library sees it, whatever CUDA_VISIBLE_DEVICES says. A switch that the GPU does not have is
 * {@code n/a}.
 *
 * @param index nvidia-smi's number for it
 * @param name such as {@code NVIDIA H100 80GB HBM3}
 * @param uuid such as {@code GPU-1b2c...}
 * @param memory bytes of device memory, with what the driver keeps for itself
 * @param free bytes of it that are free
 * @param computeMode who may use it
 * @param persistence whether the driver stays initialised while no process uses it: {@code on} or {@code off}
 * @param ecc whether its memory corrects errors: {@code on} or {@code off}
 * @param mig whether it is divided: {@code on} or {@code off}
 * @param instances what it is divided into
 */
public record ManagedGpu(int index, String name, String uuid, long memory, long free, ComputeMode computeMode,
        String persistence, String ecc, String mig, List<MigInstance> instances) {

    /** A switch that is on. */
    public static final String ON = "on";
    /** A switch that is off. */
    public static final String OFF = "off";
    /** A switch that there is not. */
    public static final String NONE = "n/a";

    /**
     * A part of a divided GPU, which CUDA takes for a device.
     *
     * @param name such as {@code NVIDIA H100 80GB HBM3 MIG 1g.10gb}
     * @param uuid such as {@code MIG-1b2c...}: what CUDA_VISIBLE_DEVICES takes
     * @param memory bytes of device memory
     */
    public record MigInstance(String name, String uuid, long memory) { }

    public ManagedGpu {
        instances = List.copyOf(instances);
    }

    static ManagedGpu look(LibNvml nvml, int index, MemorySegment device) {
        long[] memory = memory(nvml, device);
        return new ManagedGpu(index, nvml.text("nvmlDeviceGetName", device), nvml.text("nvmlDeviceGetUUID", device),
                memory[0], memory[1], ComputeMode.of(nvml.number("nvmlDeviceGetComputeMode", device).orElse(-1)),
                state(nvml.number("nvmlDeviceGetPersistenceMode", device).orElse(-1)),
                current(nvml, "nvmlDeviceGetEccMode", device), current(nvml, "nvmlDeviceGetMigMode", device),
                instances(nvml, device));
    }

    private static String state(int number) {
        return switch (number) {
            case 0 -> OFF;
            case 1 -> ON;
            default -> NONE;
        };
    }

    /** Of a switch that has a present and a coming state. */
    private static String current(LibNvml nvml, String function, MemorySegment device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment now = arena.allocate(JAVA_INT);
            MemorySegment next = arena.allocate(JAVA_INT);
            return nvml.call(function, device, now, next) == LibNvml.SUCCESS ? state(now.get(JAVA_INT, 0)) : NONE;
        }
    }

    /** nvmlMemory_t: total, free, used. @return the first two */
    private static long[] memory(LibNvml nvml, MemorySegment device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sizes = arena.allocate(JAVA_LONG, 3);
            return nvml.call("nvmlDeviceGetMemoryInfo", device, sizes) == LibNvml.SUCCESS
                    ? new long[] {sizes.getAtIndex(JAVA_LONG, 0), sizes.getAtIndex(JAVA_LONG, 1)} : new long[2];
        }
    }

    private static List<MigInstance> instances(LibNvml nvml, MemorySegment device) {
        List<MigInstance> all = new ArrayList<>();
        int most = nvml.number("nvmlDeviceGetMaxMigDeviceCount", device).orElse(0);
        for (int i = 0; i < most; i++) {
            nvml.handle("nvmlDeviceGetMigDeviceHandleByIndex", device, i).ifPresent(instance -> all.add(
                    new MigInstance(nvml.text("nvmlDeviceGetName", instance), nvml.text("nvmlDeviceGetUUID", instance),
                            memory(nvml, instance)[0])));
        }
        return all;
    }
}

package dev.tilewright.gpu.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The GPUs of this machine, or why there are none. Asking creates no context and loads nothing of JCuda.
 *
 * @param list the devices, by ordinal; empty if there are none
 * @param driverVersion the newest CUDA that the driver knows, such as {@code 13.0}; empty if there is no driver
 * @param why if there are no devices, why, in one sentence; else empty
 */
public record Devices(List<DeviceInfo> list, String driverVersion, String why) {

    // CUdevice_attribute, cuda.h.
    private static final int MULTIPROCESSOR_COUNT = 16;
    private static final int COMPUTE_CAPABILITY_MAJOR = 75;
    private static final int COMPUTE_CAPABILITY_MINOR = 76;
    private static final int MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;

    private static final int NAME_BYTES = 256;

    private static final String DOCTOR = "; 'tilewright doctor' says what to do";

    public Devices {
        NotNull.all("list, driverVersion, why", list, driverVersion, why);
        list = List.copyOf(list);
    }

    /** Looks at this machine. Never throws. */
    public static Devices probe() {
        if (!LibCuda.presence().present()) {
            return new Devices(List.of(), "", LibCuda.presence().why());
        }
        return probe(LibCuda.get());
    }

    /** What a driver sees. */
    @SuppressWarnings("exports") // for the runtime itself
    public static Devices probe(DriverApi api) {
        NotNull.all("api", api);
        String version = "";
        try (Arena arena = Arena.ofConfined()) {
            version = version(api, arena);
            CudaException.check("cuInit", api.cuInit(0));
            MemorySegment count = arena.allocate(JAVA_INT);
            CudaException.check("cuDeviceGetCount", api.cuDeviceGetCount(count));
            List<DeviceInfo> found = new ArrayList<>();
            for (int ordinal = 0; ordinal < count.get(JAVA_INT, 0); ordinal++) {
                found.add(describe(api, ordinal, arena));
            }
            return new Devices(found, version, found.isEmpty() ? "the NVIDIA driver sees no GPU" + hidden() + DOCTOR
                    : "");
        } catch (CudaException | MissingRequirementException e) {
            return new Devices(List.of(), version, "the NVIDIA driver is there, but " + e.getMessage() + hidden()
                    + DOCTOR);
        }
    }

    /**
     * The device of this ordinal.
     *
     * @throws MissingRequirementException if there is none, with the reason
     */
    public DeviceInfo require(int ordinal) {
        if (list.isEmpty()) {
            throw new MissingRequirementException("this needs a GPU: " + why);
        }
        if (ordinal < 0 || ordinal >= list.size()) {
            throw new MissingRequirementException(
                    "there is no GPU " + ordinal + ": the last one here is " + (list.size() - 1));
        }
        return list.get(ordinal);
    }

    private static DeviceInfo describe(DriverApi api, int ordinal, Arena arena) {
        MemorySegment out = arena.allocate(JAVA_LONG);
        CudaException.check("cuDeviceGet", api.cuDeviceGet(out, ordinal));
        int device = out.get(JAVA_INT, 0);
        MemorySegment name = arena.allocate(NAME_BYTES);
        CudaException.check("cuDeviceGetName", api.cuDeviceGetName(name, NAME_BYTES, device));
        CudaException.check("cuDeviceTotalMem", api.cuDeviceTotalMem(out, device));
        return new DeviceInfo(ordinal, name.getString(0), attribute(api, COMPUTE_CAPABILITY_MAJOR, device, arena),
                attribute(api, COMPUTE_CAPABILITY_MINOR, device, arena), out.get(JAVA_LONG, 0),
                attribute(api, MULTIPROCESSOR_COUNT, device, arena),
                attribute(api, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device, arena));
    }

    private static int attribute(DriverApi api, int attribute, int device, Arena arena) {
        MemorySegment value = arena.allocate(JAVA_INT);
        CudaException.check("cuDeviceGetAttribute " + attribute,
                api.cuDeviceGetAttribute(value, attribute, device));
        return value.get(JAVA_INT, 0);
    }

    /** The newest CUDA that a driver knows: {@code 13.0}. */
    @SuppressWarnings("exports") // for the runtime itself
    public static String version(DriverApi api, Arena arena) {
        NotNull.all("api, arena", api, arena);
        MemorySegment version = arena.allocate(JAVA_INT);
        CudaException.check("cuDriverGetVersion", api.cuDriverGetVersion(version));
        int number = version.get(JAVA_INT, 0);
        return number / 1000 + "." + number % 1000 / 10;
    }

    /** A variable that hides GPUs is the first thing to look at. */
    private static String hidden() {
        String visible = System.getenv("CUDA_VISIBLE_DEVICES");
        return visible == null ? "" : " (CUDA_VISIBLE_DEVICES is '" + visible + "')";
    }
}

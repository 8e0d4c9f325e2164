package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.ptx.Target;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of this machine's GPUs: without a driver the reason, with one the devices. */
class DevicesTest {

    private static final String NO_DRIVER = "no NVIDIA driver (libcuda.so.1) on this machine";

    private static boolean noDriver() {
        return LibCuda.presence().why().equals(NO_DRIVER);
    }

    @Test
    void aMachineWithoutADriverSaysSo() {
        assumeTrue(noDriver(), "this machine has an NVIDIA driver");
        assertEquals(new Devices(List.of(), "", NO_DRIVER), Devices.probe());
        assertEquals("this needs a GPU: " + NO_DRIVER,
                assertThrows(MissingRequirementException.class, () -> Devices.probe().require(0)).getMessage());
    }

    @Test
    void everyCallWithoutADriverSaysSo() {
        assumeTrue(noDriver(), "this machine has an NVIDIA driver");
        MemorySegment none = MemorySegment.NULL;
        List.<Runnable>of(() -> LibCuda.get().cuInit(0), () -> LibCuda.get().cuDriverGetVersion(none),
                () -> LibCuda.get().cuDeviceGetCount(none), () -> LibCuda.get().cuDeviceGet(none, 0),
                () -> LibCuda.get().cuDeviceGetName(none, 0, 0), () -> LibCuda.get().cuDeviceGetAttribute(none, 0, 0),
                () -> LibCuda.get().cuDeviceTotalMem(none, 0), () -> LibCuda.get().cuGetErrorName(0, none),
                () -> LibCuda.get().cuGetErrorString(0, none), () -> LibCuda.get().cuLaunchKernelEx(none, 0, none, 0),
                () -> LibCuda.get().cuTensorMapEncodeTiled(none, 0, 0, 0, none, none, none, none, 0, 0, 0, 0),
                () -> LibCuda.get().cuTensorMapEncodeIm2col(none, 0, 0, 0, none, none, none, none, 0, 0, none, 0, 0, 0,
                0))
                .forEach(call -> {
                    for (int i = 0; i < 2; i++) {
                        assertEquals(NO_DRIVER, assertThrows(MissingRequirementException.class, call::run)
                                .getMessage());
                    }
                });
    }

    @Test
    void errorsHaveNumbersWithoutADriver() {
        assumeTrue(noDriver(), "this machine has an NVIDIA driver");
        assertEquals("CUresult 34", CudaError.of(34).toString());
    }

    @Test
    void aMachineWithGpusDescribesThem() {
        Devices devices = Devices.probe();
        assumeFalse(devices.list().isEmpty(), devices.why());
        assertEquals("", devices.why());
        assertTrue(devices.driverVersion().matches("\\d+\\.\\d"), devices.driverVersion());
        for (DeviceInfo device : devices.list()) {
            assertFalse(device.name().isBlank());
            assertTrue(device.major() >= 5 && device.totalMemory() > 1L << 30 && device.multiprocessors() > 0
                    && device.sharedMemoryPerBlock() >= 48 << 10, device.toString());
            assertEquals(device, devices.require(device.ordinal()));
        }
        assertThrows(MissingRequirementException.class, () -> devices.require(devices.list().size()));
        assertEquals("CUDA_ERROR_INVALID_VALUE (1): invalid argument", CudaError.of(1).toString());
    }

    /** Its remedy depends on much: the command that looks at all of it is named. */
    @Test
    void aDriverThatDoesNotStartNamesTheDoctor() {
        EmulatedCuda broken = new EmulatedCuda() {
            @Override
            public int cuInit(int flags) {
                return 802;
            }
        };
        Devices devices = Devices.probe(broken);
        assertEquals("13.0", devices.driverVersion());
        assertTrue(devices.why().startsWith("the NVIDIA driver is there, but cuInit failed: ")
                && devices.why().endsWith("; 'tilewright doctor' says what to do"), devices.why());
        assertTrue(Devices.probe(new EmulatedCuda(ExecutionOrder.LAZY)).why()
                .startsWith("the NVIDIA driver sees no GPU"));
    }

    @Test
    void aDevicesTargetIsTheMostCapable() {
        assertEquals(Target.SM_90A, new DeviceInfo(0, "H100", 9, 0, 80L << 30, 132, 232_448).target());
        assertEquals(Target.SM_80, new DeviceInfo(0, "A100", 8, 0, 40L << 30, 108, 166_912).target());
    }
}

package dev.tilewright.spark.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;

class AssignedGpuTest {

    private static OptionalInt ordinal(int visible, String... addresses) {
        return AssignedGpu.ordinal(Map.of("gpu", new ResourceInformation("gpu", addresses)), visible);
    }

    @Test
    void theAddressIsItsNumber() {
        assertEquals(OptionalInt.of(3), ordinal(8, "3"));
        assertEquals(OptionalInt.of(5), ordinal(8, "5", "6"));
        // A container shows the assigned one alone.
        assertEquals(OptionalInt.of(0), ordinal(1, "3"));
        assertEquals(OptionalInt.of(0), ordinal(1, "GPU-5f3c"));
        assertEquals(OptionalInt.empty(), ordinal(8));
        assertEquals(OptionalInt.empty(), AssignedGpu.ordinal(Map.of(), 8));
    }

    @Test
    void anAddressThatNamesNoneIsSaid() {
        for (String address : new String[] {"8", "GPU-5f3c", "-1"}) {
            assertEquals("Spark assigned GPU '" + address + "', and this executor sees 8, numbered from 0: let the "
                    + "discovery script print numbers as nvidia-smi's index, and set CUDA_DEVICE_ORDER=PCI_BUS_ID",
                    assertThrows(IllegalStateException.class, () -> ordinal(8, address)).getMessage());
        }
    }
}

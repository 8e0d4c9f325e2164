package dev.tilewright.spark.executor;

import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.resource.ResourceInformation;

/** Which GPU of this process a task has, by what Spark assigned. */
final class AssignedGpu {
    private AssignedGpu() { }

    /**
     * Its number among the GPUs that this process sees, from 0; empty where Spark assigned none.
     *
     * @param resources of the task
     * @param visible how many GPUs the process sees: in a container often the assigned one alone, as number 0, whatever
     *     its address is
     * @throws IllegalStateException if the address names no GPU that is there
     */
    static OptionalInt ordinal(Map<String, ResourceInformation> resources, int visible) {
        ResourceInformation gpu = resources.get("gpu");
        if (gpu == null || gpu.addresses().length == 0) {
            return OptionalInt.empty();
        }
        String address = gpu.addresses()[0];
        if (visible == 1) {
            return OptionalInt.of(0);
        }
        if (!address.matches("\\d{1,4}") || Integer.parseInt(address) >= visible) {
            throw new IllegalStateException("Spark assigned GPU '" + address + "', and this executor sees " + visible
                    + ", numbered from 0: let the discovery script print numbers as nvidia-smi's index, and set "
                    + "CUDA_DEVICE_ORDER=PCI_BUS_ID");
        }
        return OptionalInt.of(Integer.parseInt(address));
    }
}

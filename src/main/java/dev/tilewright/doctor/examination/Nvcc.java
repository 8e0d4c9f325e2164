package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Whether rivals in CUDA C++ can be built for benchmarks. Nothing else needs nvcc. */
final class Nvcc implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        return List.of(machine.nvcc().isEmpty()
                ? Finding.note("nvcc", "none: 'bench' measures without the kernels in CUDA C++ that it compares with, "
                + "and nothing else needs it", "a CUDA toolkit brings it (CUDA_HOME, or on the PATH)")
                : Finding.ok("nvcc", machine.nvcc()));
    }
}

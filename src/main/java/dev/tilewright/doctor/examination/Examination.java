package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** One question about a machine. */
public interface Examination {
    /** What it finds; nothing where the question does not arise. */
    List<Finding> of(Machine machine);
}

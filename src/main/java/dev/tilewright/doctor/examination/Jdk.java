package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.JavaFacts;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Which Java this is. */
final class Jdk implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        JavaFacts java = machine.java();
        return List.of(Finding.ok("jdk", java.version() + " (" + java.vendor() + "), " + java.home()));
    }
}

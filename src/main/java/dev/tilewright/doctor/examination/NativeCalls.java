package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.JavaFacts;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Whether Java may call libcuda and NVRTC, which are native code (JEP 472). */
final class NativeCalls implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        JavaFacts java = machine.java();
        return switch (java.nativeAccess()) {
            case ENABLED -> List.of();
            case WARNED ->
                    List.of(Finding.note("native", "no flag allows this Java to call native code: it warns, and a"
                    + " later Java will refuse", "add " + java.flag() + " to the java command"));
            case DENIED -> List.of(Finding.broken("native", "this Java may not call native code: no driver"
                    + " is reached, and NVRTC in a process of its own alone",
                    "add " + java.flag() + " to the java command"));
        };
    }
}

package dev.tilewright.hazard.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** An observer may leave out what it does not need, and the check needs all that orders accesses. */
class HazardObserverTest {
    /** What works on registers alone orders nothing. */
    private static final Set<String> NOT_NEEDED = Set.of("computes", "followsComputations");

    @Test
    void itTakesEverythingElse() throws ReflectiveOperationException {
        Set<String> left = new TreeSet<>();
        for (Method told : ExecutionObserver.class.getMethods()) {
            if (HazardObserver.class.getMethod(told.getName(), told.getParameterTypes()).getDeclaringClass()
                    != HazardObserver.class) {
                left.add(told.getName());
            }
        }
        assertEquals(new TreeSet<>(NOT_NEEDED), left);
    }
}

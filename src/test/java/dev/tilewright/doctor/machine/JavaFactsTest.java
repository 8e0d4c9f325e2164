package dev.tilewright.doctor.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.doctor.machine.JavaFacts.NativeAccess;
import dev.tilewright.gpu.host.OtherJava;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a Java may call native code, as its options say. What doctor makes of it is in other tests. */
class JavaFactsTest {
    /** Says it of its own Java. */
    static final class Main {
        private Main() { }

        public static void main(String[] args) {
            System.out.println(JavaFacts.look().nativeAccess());
        }
    }

    @Test
    void aJavaWithoutAnOptionWarns() throws Exception {
        Process process = OtherJava.start(List.of("--illegal-native-access=warn"), Main.class);
        // The call that it asks of is warned of, too.
        assertEquals("warned", process.inputReader().readAllLines().getLast());
        assertEquals(0, process.waitFor());
        assertEquals(NativeAccess.ENABLED, JavaFacts.look().nativeAccess());
    }
}

package dev.tilewright.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What ends all processes of a terminal is told from what ends one. */
class InterruptsTest {
    @Test
    void signalsOfATerminalAreThoseOfAll() throws Exception {
        assertEquals(List.of(129, 130, 143), IntStream.range(0, 256).filter(Interrupts::isExitCode).boxed().toList());
        for (String signal : List.of("HUP", "INT", "TERM", "KILL", "ABRT")) {
            // A build in the background ignores some of them, and so would what it starts.
            Process process = new ProcessBuilder("env", "--default-signal=INT,TERM,HUP", "sh", "-c",
                    "kill -" + signal + " $$").start();
            process.waitFor();
            assertEquals(!signal.equals("KILL") && !signal.equals("ABRT"), Interrupts.isExitCode(process.exitValue()),
                    signal);
        }
    }

    @Test
    void theNewsIsWaitedForWhereItIsLikely() throws Exception {
        assertTrue(Interrupts.await(false, () -> true));
        assertFalse(Interrupts.await(false, () -> false));
        AtomicBoolean stopped = new AtomicBoolean();
        Thread late = Thread.ofPlatform().start(() -> {
            try {
                Thread.sleep(Duration.ofSeconds(1));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            stopped.set(true);
        });
        assertTrue(Interrupts.await(true, stopped::get));
        late.join();
    }
}

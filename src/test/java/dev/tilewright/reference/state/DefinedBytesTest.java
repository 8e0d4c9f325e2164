package dev.tilewright.reference.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bytes that were written, as an array of flags has them, whether few are looked for or many. */
class DefinedBytesTest {
    private static final int SIZE = 600;

    @Test
    void theFirstThatIsNotDefinedIsFound() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 50; round++) {
            DefinedBytes bytes = new DefinedBytes();
            boolean[] defined = new boolean[SIZE];
            for (int step = 0; step < 40; step++) {
                int from = random.nextInt(SIZE);
                int until = random.nextInt(from, SIZE);
                bytes.written(from, until - from);
                IntStream.range(from, until).forEach(at -> defined[at] = true);
                int undefined = random.nextInt(SIZE);
                bytes.writtenUndefined(undefined, new UnwrittenRead(0, 0, 1, 0, undefined, 1));
                defined[undefined] = false;
                for (int look = 0; look < 20; look++) {
                    int first = random.nextInt(SIZE);
                    int end = random.nextInt(first, Math.min(SIZE, first + (look % 2 == 0 ? 70 : SIZE)) + 1);
                    assertEquals(IntStream.range(first, end).filter(at -> !defined[at]).findFirst().orElse(-1),
                            bytes.firstUndefined(first, end - first), () -> first + " to " + end);
                }
            }
        }
    }
}

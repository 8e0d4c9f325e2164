package dev.tilewright;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * What a compiler outside of this project said, which takes it seconds, of the very same question before: its version,
 * its options and the source. Answers lie in {@code tilewright/tests} below the user's cache, named by the question's
 * SHA-256; one that was thrown is not kept.
 */
public final class Remembered {
    private Remembered() {
    }

    /** Asks the compiler. */
    public interface Asked {
        String ask() throws IOException, InterruptedException;
    }

    /** The answer to a question, all of whose parts are given. */
    public static String answer(List<String> question, Asked asked) {
        Path answer = HostEnvironment.current().userCache().orElse(Path.of("target"))
                .resolve(Path.of("tilewright", "tests", DigestUtils.sha256Hex(String.join("\0", question))));
        try {
            if (Files.exists(answer)) {
                return Files.readString(answer);
            }
            String said = asked.ask();
            Files.createDirectories(answer.getParent());
            Path written = Files.createTempFile(answer.getParent(), "answer", "");
            Files.writeString(written, said);
            Files.move(written, answer, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return said;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

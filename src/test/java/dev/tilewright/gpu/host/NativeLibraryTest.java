package dev.tilewright.gpu.host;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways in which binding a native library succeeds and fails, against the C library and files that are none. */
class NativeLibraryTest {

    @Test
    void callsAFunction() throws Throwable {
        NativeLibrary libc = NativeLibrary.open("libc.so.6");
        int abs = (int) libc.function("abs", FunctionDescriptor.of(JAVA_INT, JAVA_INT)).orElseThrow().invokeExact(-7);
        assertEquals(7, abs);
    }

    @Test
    void aFunctionThatIsNotThereIsEmpty() {
        assertTrue(NativeLibrary.open("libc.so.6").function("no_such_function", FunctionDescriptor.of(JAVA_INT))
                .isEmpty());
    }

    @Test
    void aMissingLibraryIsReportedInTheLoadersWords() {
        MissingRequirementException e = assertThrows(MissingRequirementException.class,
                () -> NativeLibrary.open("libtilewright-none.so.1"));
        assertEquals("libtilewright-none.so.1: cannot open shared object file: No such file or directory",
                e.getMessage());
    }

    @Test
    void aFileThatIsNoLibraryIsReportedInTheLoadersWords(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("libtext.so"),
                "not a library, but long enough to have a header".repeat(9));
        MissingRequirementException e = assertThrows(MissingRequirementException.class,
                () -> NativeLibrary.open(file.toString()));
        assertEquals(file + ": invalid ELF header", e.getMessage());
    }

    @Test
    void aNullPointerIsNoText() {
        assertEquals(null, NativeLibrary.text(MemorySegment.NULL));
    }

    /** Run in a Java of its own, because this one may call native code. */
    public static final class Denied {
        public static void main(String[] arguments) {
            try {
                NativeLibrary.open("libc.so.6");
            } catch (MissingRequirementException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void aJavaThatMayNotCallNativeCodeNamesTheFlag() throws Exception {
        Process process = OtherJava.start(List.of("--illegal-native-access=deny"), Denied.class);
        String output = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(3, TimeUnit.MINUTES));
        assertEquals("this Java may not call native code: add --enable-native-access=ALL-UNNAMED to the java command",
                output.strip());
    }
}

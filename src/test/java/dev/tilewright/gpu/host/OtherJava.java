package dev.tilewright.gpu.host;

import dev.tilewright.gpu.nvrtc.locate.NvrtcLocation;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocator;
import dev.tilewright.io.host.HostEnvironment;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Starts another Java that sees the classes of this one, for tests of what happens between processes. It lives for a
 * moment: {@link #BRIEF} makes that cost half.
 */
public final class OtherJava {
    /** Options of a Java that ends before a better compiler or collector would pay. */
    public static final List<String> BRIEF = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private OtherJava() { }

    /** Has the other Java take the NVRTC that this one finds: to check the embedded one again takes two seconds. */
    public static List<String> withThisNvrtc() {
        return NvrtcLocator.of(HostEnvironment.current()).survey().found().map(NvrtcLocation::file)
                .filter(Files::exists).map(file -> "-Dtilewright.nvrtc=" + file).stream().toList();
    }

    /** Starts it; its error output goes where its output goes. */
    public static Process start(List<String> flags, Class<?> main, String... arguments) throws IOException {
        return new ProcessBuilder(command(flags, main, arguments)).redirectErrorStream(true).start();
    }

    /** The command line that starts it. */
    public static List<String> command(List<String> flags, Class<?> main, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(BRIEF);
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath(main), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Test runners may load classes from elsewhere than the class path of the Java that they run in. */
    private static String classPath(Class<?> main) {
        Set<String> places = new LinkedHashSet<>();
        for (Class<?> one : List.of(main, NativeLibrary.class, Test.class)) {
            try {
                places.add(Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
            } catch (URISyntaxException e) {
                throw new AssertionError(e);
            }
        }
        places.add(System.getProperty("java.class.path"));
        return String.join(File.pathSeparator, places);
    }
}

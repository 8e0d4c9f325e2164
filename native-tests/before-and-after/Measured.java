import dev.tilewright.builder.Presets;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.List;

/**
 * What a user waits for on a machine without a GPU. Compiled against the jar that it measures, so it takes of the
 * library only what jars of all ages have.
 */
public class Measured {
    private static final Gpu GPU = Gpu.emulated();

    private static Runnable launches(String preset, long rows, long columns) {
        var kernel = GPU.load(Presets.named(preset).build(ElementType.F32));
        Buffer<float[]> from = GPU.upload(new float[Math.toIntExact(rows * columns)]);
        Buffer<float[]> to = GPU.floats(Math.toIntExact(rows * columns));
        var launch = kernel.prepare(List.of(rows, columns), from, to);
        boolean scales = preset.endsWith("scale") || preset.endsWith("add");
        if (scales) {
            launch.set("scalar", 2);
        }
        return () -> {
            launch.start();
            GPU.synchronize();
        };
    }

    private static Runnable check(String preset) throws Exception {
        Method run = Class.forName("dev.tilewright.cli.Main").getDeclaredMethod("run", String[].class,
                PrintStream.class, PrintStream.class, boolean.class);
        run.setAccessible(true);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        return () -> {
            try {
                if ((int) run.invoke(null, new String[] {"check", preset}, nowhere, nowhere, false) != 0) {
                    throw new AssertionError(preset + " is not clean");
                }
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        };
    }

    /** One call of {@code what} for a preset. */
    public static Runnable of(String what, String preset) throws Exception {
        return switch (what) {
            case "emission" -> () -> CudaEmitter.emit(Presets.named(preset).build(ElementType.F32).program());
            case "check" -> check(preset);
            // A launch of a few tiles: what comes before and after the kernel's steps counts.
            case "launch" -> launches(preset, 8, 64);
            case "reference" -> launches(preset, 1024, 1024);
            default -> throw new AssertionError(what);
        };
    }
}

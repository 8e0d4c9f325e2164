import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Compares the CPU time of two builds at one piece of work, by turns in one JVM. Each build runs twice: the difference
 * between its two runs is noise. {@code Work} is compiled against each.
 *
 * <pre>java -Dbase=WORK:CLASSES -Dnow=WORK:CLASSES Pair LIBRARIES MILLISECONDS-OF-WARM-UP TURNS WORK...</pre>
 */
final class Pair {
    private static final int SIDES = 4;

    public static void main(String[] words) throws ReflectiveOperationException, java.io.IOException {
        long warm = Long.parseLong(words[1]) * 1_000_000;
        int turns = Integer.parseInt(words[2]);
        ThreadMXBean time = ManagementFactory.getThreadMXBean();
        for (String what : Arrays.asList(words).subList(3, words.length)) {
            Runnable[] sides = new Runnable[SIDES];
            for (int s = 0; s < SIDES; s++) {
                sides[s] = work(System.getProperty(s % 2 == 0 ? "base" : "now") + ":" + words[0], what);
            }
            long end = System.nanoTime() + warm;
            while (System.nanoTime() < end) {
                Arrays.asList(sides).forEach(Runnable::run);
            }
            double[][] taken = new double[SIDES][turns];
            for (int i = 0; i < turns; i++) {
                for (int j = 0; j < SIDES; j++) {
                    int s = i % 2 == 0 ? j : SIDES - 1 - j;
                    long begin = time.getCurrentThreadCpuTime();
                    sides[s].run();
                    taken[s][i] = (time.getCurrentThreadCpuTime() - begin) / 1e3;
                }
            }
            double[] m = Arrays.stream(taken).mapToDouble(all -> Arrays.stream(all).sorted().toArray()[turns / 2])
                    .toArray();
            double[] least = Arrays.stream(taken).mapToDouble(all -> Arrays.stream(all).min().orElseThrow()).toArray();
            System.out.printf("%-24s base %.0f %.0f us  now %.0f %.0f us  now/base %.3f  noise base %.3f now %.3f"
                    + " (least %.3f)%n", what, m[0], m[2], m[1], m[3], (m[1] + m[3]) / (m[0] + m[2]), m[2] / m[0],
                    m[3] / m[1], (least[1] + least[3]) / (least[0] + least[2]));
        }
    }

    private static Runnable work(String path, String what) throws ReflectiveOperationException, java.io.IOException {
        List<URL> places = new ArrayList<>();
        for (String place : path.split(":")) {
            places.add(Path.of(place).toUri().toURL());
        }
        return (Runnable) new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())
                .loadClass("Work").getConstructor(String.class).newInstance(what);
    }
}

package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The examples of docs/gallery.md leave the pictures that the document shows. */
@Isolated("examples read system properties and print")
class GalleryTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    @TempDir
    Path folder;

    @AfterEach
    void forget() {
        System.clearProperty("gallery.on");
        System.clearProperty("gallery.out");
    }

    /** An ordinary run takes one example in three. */
    @Test
    void examplesLeaveTheirPictures() throws Exception {
        Map<String, String> sources = sources();
        Predicate<Object> share = Thorough.share(3);
        int pictures = 0;
        SourceFolder classes = new SourceFolder(folder);
        classes.compile(sources);
        System.setProperty("gallery.out", folder.resolve("pictures").toString());
        try (URLClassLoader loader = classes.loader()) {
            System.setProperty("gallery.on", "cpu");
            for (String name : sources.keySet()) {
                if (name.startsWith("Example") && !name.endsWith("Stream") && share.test(name)) {
                    run(loader, name);
                    pictures += name.endsWith("Product") ? 0 : 1;
                }
            }
            assertEquals(pictures, comparePictures());
            System.setProperty("gallery.on", "emulated");
            run(loader, "Example7Histogram");
            comparePictures();
        }
    }

    @Test
    void theDocumentHasEveryExampleAndItsCommand() throws IOException {
        String document = Files.readString(ROOT.resolve("docs/gallery.md"));
        for (String name : sources().keySet()) {
            if (name.startsWith("Example")) {
                assertTrue(document.contains("](../examples/gallery/" + name + ".java)"), name);
                assertTrue(document.contains(" examples/gallery/" + name + ".java\n```"), name);
            }
        }
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("examples/gallery"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }

    private static void run(URLClassLoader loader, String name) throws Exception {
        var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) new String[0]);
    }

    /** Pixels, since files may differ by the version of what compresses them. */
    private int comparePictures() throws IOException {
        int compared = 0;
        try (Stream<Path> made = Files.list(folder.resolve("pictures"))) {
            for (Path file : made.toList()) {
                Path shown = ROOT.resolve("docs/gallery").resolve(file.getFileName());
                assertArrayEquals(pixels(shown), pixels(file), file.toString());
                compared++;
            }
        }
        return compared;
    }

    private static int[] pixels(Path file) throws IOException {
        BufferedImage image = ImageIO.read(file.toFile());
        return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    }
}

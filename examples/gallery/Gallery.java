import dev.tilewright.gpu.*;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.TileKernel;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.*;
import java.util.function.Consumer;
import javax.imageio.ImageIO;

/** What the examples share: pictures as arrays of floats, and the choice of where kernels run. */
final class Gallery {
    /** Examples run in the project's folder. {@code -Dgallery.out=FOLDER}: where pictures go. */
    private static final Path OUT = Path.of(System.getProperty("gallery.out", "target/gallery"));

    private Gallery() {
    }

    /** A picture in planes: {@code planes} times {@code height} times {@code width} numbers from 0, black, to 1. */
    record Picture(float[] pixels, int planes, int height, int width) {
        Picture(int planes, int height, int width) {
            this(new float[planes * height * width], planes, height, width);
        }
    }

    /** Runs a kernel on the first GPU, or without one on the CPU: the bytes are the same. {@code -Dgallery.on=cpu}. */
    static void run(TileKernel kernel, Consumer<ArrayLaunch<?>> arguments) {
        String where = System.getProperty("gallery.on", Gpu.list().isEmpty() ? "cpu" : "gpu");
        if (where.equals("cpu")) {
            arguments.accept(kernel.onCpu());
            return;
        }
        try (Gpu gpu = where.equals("emulated") ? Gpu.emulated() : Gpu.open(); ArrayKernel loaded = gpu.load(kernel)) {
            arguments.accept(loaded.launch());
        }
    }

    /** The photograph that the examples work on: red, green and blue. */
    static Picture photograph() throws IOException {
        BufferedImage image = ImageIO.read(Path.of("examples/gallery/photograph.png").toFile());
        Picture picture = new Picture(3, image.getHeight(), image.getWidth());
        int size = image.getHeight() * image.getWidth();
        for (int i = 0; i < size; i++) {
            int rgb = image.getRGB(i % image.getWidth(), i / image.getWidth());
            for (int plane = 0; plane < 3; plane++) {
                picture.pixels[plane * size + i] = (rgb >> 16 - 8 * plane & 0xff) / 255f;
            }
        }
        return picture;
    }

    /** Its brightness: one plane. */
    static Picture brightness() throws IOException {
        Picture photograph = photograph();
        Picture grey = new Picture(1, photograph.height, photograph.width);
        int size = grey.pixels.length;
        for (int i = 0; i < size; i++) {
            grey.pixels[i] = 0.299f * photograph.pixels[i] + 0.587f * photograph.pixels[size + i]
                    + 0.114f * photograph.pixels[2 * size + i];
        }
        return grey;
    }

    /** Writes a picture of one plane, grey, or three. */
    static void save(Picture picture, String name) throws IOException {
        BufferedImage image = new BufferedImage(picture.width, picture.height, BufferedImage.TYPE_INT_RGB);
        int size = picture.height * picture.width;
        for (int i = 0; i < size; i++) {
            int rgb = 0;
            for (int plane = 0; plane < 3; plane++) {
                float value = picture.pixels[picture.planes == 1 ? i : plane * size + i];
                rgb = rgb << 8 | Math.clamp(Math.round(255 * value), 0, 255);
            }
            image.setRGB(i % picture.width, i / picture.width, rgb);
        }
        Files.createDirectories(OUT);
        ImageIO.write(image, "png", OUT.resolve(name).toFile());
        System.out.println(OUT.resolve(name) + ": " + picture.height + " x " + picture.width);
    }
}

import java.awt.image.BufferedImage;
import java.io.File;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/**
 * Makes photograph.png, which is therefore under this project's own licence: a still life of balls on a tiled floor,
 * whose light is followed path by path, through a lens that is sharp at one distance. {@code java Photograph.java FILE}
 */
class Photograph {
    record Vector(double x, double y, double z) {
        Vector plus(Vector o) {
            return new Vector(x + o.x, y + o.y, z + o.z);
        }

        Vector minus(Vector o) {
            return new Vector(x - o.x, y - o.y, z - o.z);
        }

        Vector times(double f) {
            return new Vector(x * f, y * f, z * f);
        }

        Vector times(Vector o) {
            return new Vector(x * o.x, y * o.y, z * o.z);
        }

        double dot(Vector o) {
            return x * o.x + y * o.y + z * o.z;
        }

        Vector unit() {
            return times(1 / Math.sqrt(dot(this)));
        }
    }

    record Ball(Vector centre, double radius, Vector colour, double gloss, double mirror) {
        double hit(Vector from, Vector along) {
            Vector apart = from.minus(centre);
            double half = apart.dot(along), root = half * half - apart.dot(apart) + radius * radius;
            if (root < 0) {
                return Double.POSITIVE_INFINITY;
            }
            double near = -half - Math.sqrt(root), far = -half + Math.sqrt(root);
            return near > 1e-6 ? near : far > 1e-6 ? far : Double.POSITIVE_INFINITY;
        }
    }

    static final int WIDTH = 480, HEIGHT = 320, PATHS = 400;
    static final Vector SUN = new Vector(-0.5, 0.75, -0.45).unit();
    static final List<Ball> BALLS = List.of(
            new Ball(new Vector(-1.35, 1, 0.4), 1, new Vector(0.85, 0.16, 0.1), 0.05, 0.06),
            new Ball(new Vector(0.85, 0.8, -0.35), 0.8, new Vector(0.95, 0.95, 0.95), 0, 0.85),
            new Ball(new Vector(2.6, 1.1, 1.6), 1.1, new Vector(0.1, 0.3, 0.75), 0.1, 0.1),
            new Ball(new Vector(-0.3, 0.35, -1.3), 0.35, new Vector(0.95, 0.7, 0.1), 0.2, 0.2),
            new Ball(new Vector(-2.6, 0.45, -0.9), 0.45, new Vector(0.15, 0.6, 0.25), 0.3, 0.05),
            new Ball(new Vector(1.9, 0.28, -1.5), 0.28, new Vector(0.6, 0.2, 0.6), 0.05, 0.1),
            new Ball(new Vector(-3.6, 1.3, 3.6), 1.3, new Vector(0.8, 0.8, 0.75), 0.6, 0.05),
            new Ball(new Vector(0.6, 1.5, 5), 1.5, new Vector(0.85, 0.45, 0.2), 0.2, 0.05));

    static Vector sky(Vector along) {
        double up = Math.max(0, along.y), sun = Math.max(0, along.dot(SUN));
        return new Vector(0.75, 0.8, 0.88).times(1 - up).plus(new Vector(0.25, 0.45, 0.85).times(up))
                .plus(new Vector(9, 8, 6.5).times(Math.pow(sun, 300)));
    }

    static Vector anywhere(SplittableRandom random) {
        Vector v;
        do {
            v = new Vector(random.nextDouble(-1, 1), random.nextDouble(-1, 1), random.nextDouble(-1, 1));
        } while (v.dot(v) > 1);
        return v;
    }

    static boolean lit(Vector from, Vector along) {
        return BALLS.stream().allMatch(ball -> ball.hit(from, along) == Double.POSITIVE_INFINITY);
    }

    static Vector light(Vector from, Vector along, int bounces, SplittableRandom random) {
        double floor = along.y < -1e-9 ? -from.y / along.y : Double.POSITIVE_INFINITY, distance = floor;
        Ball met = null;
        for (Ball ball : BALLS) {
            double hit = ball.hit(from, along);
            if (hit < distance) {
                distance = hit;
                met = ball;
            }
        }
        if (distance == Double.POSITIVE_INFINITY || bounces == 0) {
            return sky(along);
        }
        Vector at = from.plus(along.times(distance)), normal = new Vector(0, 1, 0);
        Vector colour;
        double gloss = 0.15, mirror = 0.08;
        if (met == null) {
            boolean dark = (Math.floorMod((long) Math.floor(at.x / 0.8), 2) == 0)
                    == (Math.floorMod((long) Math.floor(at.z / 0.8), 2) == 0);
            colour = dark ? new Vector(0.16, 0.17, 0.2) : new Vector(0.8, 0.77, 0.7);
        } else {
            normal = at.minus(met.centre).times(1 / met.radius);
            colour = met.colour;
            gloss = met.gloss;
            mirror = met.mirror;
        }
        at = at.plus(normal.times(1e-5));
        double grazing = Math.pow(1 + Math.min(0, along.dot(normal)), 5);
        if (random.nextDouble() < mirror + (1 - mirror) * grazing) {
            Vector mirrored = along.minus(normal.times(2 * along.dot(normal))).plus(anywhere(random).times(gloss));
            return light(at, mirrored.unit(), bounces - 1, random).times(mirror > 0.5 ? colour : new Vector(1, 1, 1));
        }
        Vector towards = SUN.plus(anywhere(random).times(0.05)).unit();
        double sun = Math.max(0, normal.dot(towards));
        Vector direct = sun > 0 && lit(at, towards) ? new Vector(2.1, 1.9, 1.6).times(sun) : new Vector(0, 0, 0);
        Vector spread = light(at, normal.plus(anywhere(random).unit()).unit(), bounces - 1, random);
        return colour.times(direct.plus(new Vector(Math.min(1.2, spread.x), Math.min(1.2, spread.y),
                Math.min(1.2, spread.z)).times(0.75)));
    }

    static int pixel(int x, int y) {
        SplittableRandom random = new SplittableRandom(x * 10_007L + y);
        Vector eye = new Vector(0, 1.9, -7), to = new Vector(0, 0.75, 0).minus(eye).unit();
        Vector right = new Vector(to.z, 0, -to.x).unit(), up = new Vector(-to.y * right.z,
                to.z * right.x - to.x * right.z, to.y * right.x);
        Vector sum = new Vector(0, 0, 0);
        for (int i = 0; i < PATHS; i++) {
            double h = (x + random.nextDouble() - WIDTH / 2.0) / WIDTH * 0.95;
            double v = (HEIGHT / 2.0 - y - random.nextDouble()) / WIDTH * 0.95;
            Vector sharp = eye.plus(to.plus(right.times(h)).plus(up.times(v)).times(6.7));
            Vector lens = anywhere(random).times(0.09), start = eye.plus(right.times(lens.x)).plus(up.times(lens.y));
            sum = sum.plus(light(start, sharp.minus(start).unit(), 5, random));
        }
        int rgb = 0;
        for (double part : new double[] {sum.x, sum.y, sum.z}) {
            double exposed = 1 - Math.exp(-1.0 * part / PATHS);
            rgb = rgb << 8 | Math.clamp(Math.round(255 * Math.pow(exposed, 1 / 2.2)), 0, 255);
        }
        return rgb;
    }

    public static void main(String[] args) throws Exception {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        IntStream.range(0, HEIGHT).parallel().forEach(y -> {
            for (int x = 0; x < WIDTH; x++) {
                image.setRGB(x, y, pixel(x, y));
            }
        });
        ImageIO.write(image, "png", new File(args[0]));
    }
}

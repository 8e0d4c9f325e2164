package dev.tilewright.verify.draw;

import dev.tilewright.BadRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** All kinds of drawn cases. */
public final class Generators {
    public static final List<Generator> ALL = List.of(new InstructionGenerator());
    private static final int TRIES = 1000;

    private Generators() {
    }

    /** @throws BadRequestException if there is no such kind */
    public static Generator named(String kind) {
        Objects.requireNonNull(kind, "kind");
        return ALL.stream().filter(g -> g.kind().equals(kind)).findFirst().orElseThrow(() -> new BadRequestException(
                "no kind of case is called '" + kind + "': there are " + ALL.stream().map(Generator::kind).toList()));
    }

    /** The case that a line names, as {@link DrawnCase#toString} writes it: kind, choices of the kernel, of the launch. */
    public static DrawnCase parse(String line) {
        Objects.requireNonNull(line, "line");
        String[] words = line.trim().split("[ /]", 3);
        if (words.length != 3) {
            throw new BadRequestException("a drawn case is a kind, the choices of its kernel, a slash and those of its "
                    + "launch, such as 'values 1.0.2/5', got '" + line + "'");
        }
        return new DrawnCase(named(words[0]), Choices.parse(words[1]), Choices.parse(words[2]));
    }

    /**
     * The cases of one kernel, always the same ones.
     *
     * @param seed of all kernels @param number which of them, from 0 on @param cases how many launches of it
     */
    public static List<DrawnCase> ofOneKernel(Generator generator, long seed, long number, int cases) {
        Objects.requireNonNull(generator, "generator");
        SplittableRandom seeds = new SplittableRandom(31 * seed + number * 0x9E3779B97F4A7C15L
                + generator.kind().hashCode());
        for (int i = 0; i < TRIES; i++) {
            Choices program = Choices.startingWith(generator.first(seed, number), seeds.nextLong());
            try {
                Drawn drawn = generator.make(program);
                List<DrawnCase> all = new ArrayList<>();
                for (int k = 0; k < cases; k++) {
                    Choices launch = Choices.random(seeds.nextLong());
                    drawn.run().apply(launch);
                    all.add(new DrawnCase(generator, program.taken(), launch.taken()));
                }
                return all;
            } catch (Redraw e) {
                // Others are drawn.
            }
        }
        throw new IllegalStateException("no " + generator.kind() + " could be drawn for kernel " + number + " of seed " + seed);
    }
}

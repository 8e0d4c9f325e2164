package dev.tilewright.verify.draw;

import dev.tilewright.verify.CaseFields;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseLine;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The kind of what a generator makes. */
record DrawnKind(Generator generator, int weight) implements CaseKind {
    static final String PROGRAM = "program";
    static final String LAUNCH = "launch";
    private static final int TRIES = 1000;

    @Override
    public String name() {
        return generator.kind();
    }

    @Override
    public DrawnCase parse(CaseLine line) {
        CaseFields fields = line.read();
        DrawnCase drawn = new DrawnCase(generator, fields.read(PROGRAM, DrawnChoices::parse),
                fields.read(LAUNCH, DrawnChoices::parse));
        fields.end();
        drawn.run();
        return drawn;
    }

    @Override
    public List<DrawnCase> draw(SplittableRandom random, int count) {
        return draw(random.nextLong(), 0, random, count);
    }

    @Override
    public List<DrawnCase> draw(long seed, long number, SplittableRandom random, int count) {
        for (int i = 0; i < TRIES; i++) {
            DrawnChoices program = DrawnChoices.startingWith(generator.first(seed, number), random.nextLong());
            try {
                Drawn drawn = generator.make(program);
                List<DrawnCase> all = new ArrayList<>();
                for (int k = 0; k < count; k++) {
                    DrawnChoices launch = DrawnChoices.random(random.nextLong());
                    drawn.run().apply(launch);
                    all.add(new DrawnCase(generator, program.taken(), launch.taken()));
                }
                return all;
            } catch (Redraw e) {
                // Others are drawn.
            }
        }
        throw new IllegalStateException("no case of the kind '" + name() + "' was found in " + TRIES + " tries");
    }
}

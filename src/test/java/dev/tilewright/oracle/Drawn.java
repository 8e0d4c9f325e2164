package dev.tilewright.oracle;

import java.util.List;
import java.util.Random;

/** The kernel that belongs to a number: a correct one, or three times in four one that is an edit away, rarely two. */
final class Drawn {
    private Drawn() {
    }

    static Sample kernel(long seed) {
        Sample correct = Kernels.draw(seed);
        Random random = new Random(~seed * 0xD1B54A32D192ED03L);
        if (random.nextInt(4) == 0) {
            return correct;
        }
        Sample edited = edit(correct, random);
        return random.nextInt(6) == 0 ? edit(edited, random) : edited;
    }

    static Sample edit(Sample sample, Random random) {
        List<Edits.Edited> edits = Edits.of(sample.body(), sample.cluster());
        while (!edits.isEmpty()) {
            Edits.Edited edit = edits.get(random.nextInt(edits.size()));
            Sample edited = sample.with(edit.what(), edit.steps());
            try {
                edited.launch();
                return edited;
            } catch (IllegalArgumentException e) {
                // No program: another edit.
            }
        }
        return sample;
    }
}

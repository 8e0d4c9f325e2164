package dev.tilewright.verify;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Cases that go wrong on purpose, see {@link PlantedCase}: never drawn among others. */
public final class PlantedKind implements CaseKind {
    static final String NAME = "planted";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public VerifyCase parse(CaseLine line) {
        CaseFields fields = line.read();
        PlantedCase planted = new PlantedCase(fields.choice("what", PlantedCase.What.class));
        fields.end();
        return planted;
    }

    @Override
    public List<PlantedCase> draw(SplittableRandom random, int count) {
        PlantedCase.What[] all = PlantedCase.What.values();
        PlantedCase one = new PlantedCase(all[random.nextInt(all.length)]);
        return Stream.generate(() -> one).limit(count).toList();
    }

    @Override
    public int weight() {
        return 0;
    }
}

package dev.tilewright.verify;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The kind of one case alone: it is drawn again and again. */
public record OneCase(VerifyCase one) implements CaseKind {

    @Override
    public String name() {
        return one.line().kind();
    }

    @Override
    public VerifyCase parse(CaseLine line) {
        return one;
    }

    @Override
    public List<VerifyCase> draw(SplittableRandom random, int count) {
        return Stream.generate(() -> one).limit(count).toList();
    }
}

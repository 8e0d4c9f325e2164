package dev.tilewright.cli.option;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** What people may have meant by a name that is not there. */
public final class Nearest {
    private Nearest() { }

    /** The name most like this one, where no more than half of the shorter would have to change. */
    public static Optional<String> to(String name, Collection<String> known) {
        LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
        return known.stream().min(Comparator.comparing(each -> distance.apply(name, each)))
                .filter(each -> distance.apply(name, each) <= Math.min(name.length(), each.length()) / 2);
    }
}

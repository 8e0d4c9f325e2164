package dev.tilewright;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/** What people may have meant by a name that is not there. */
public final class Nearest {
    private Nearest() { }

    /** The name most like this one, where no more than half of the shorter would have to change. */
    public static Optional<String> to(String name, Collection<String> known) {
        NotNull.all("name, known", name, known);
        return known.stream().min(Comparator.comparing(each -> distance(name, each)))
                .filter(each -> distance(name, each) <= Math.min(name.length(), each.length()) / 2);
    }

    /**
     * The end of a sentence: {@code : did you mean 'stages'?}, or nothing where more than a third of the shorter name
     * would have to change.
     */
    public static String question(String name, Collection<String> known) {
        return to(name, known).filter(each -> distance(name, each) <= Math.min(name.length(), each.length()) / 3)
                .map(near -> ": did you mean '" + near + "'?").orElse("");
    }

    /** Characters to be put in, taken out or exchanged (Levenshtein). */
    private static int distance(String from, String to) {
        int[] row = IntStream.rangeClosed(0, to.length()).toArray();
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}

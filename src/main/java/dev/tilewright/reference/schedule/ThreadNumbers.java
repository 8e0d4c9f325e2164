package dev.tilewright.reference.schedule;

import java.util.List;
import java.util.StringJoiner;

/** Lists of thread numbers as people write them: {@code threads 0-31, 40}. */
public final class ThreadNumbers {

    private ThreadNumbers() { }

    /** @param numbers increasing, at least one */
    public static String text(List<Integer> numbers) {
        return text("thread", numbers);
    }

    /** Of other things. @param one what each of them is */
    static String text(String one, List<Integer> numbers) {
        StringJoiner ranges = new StringJoiner(", ", one + (numbers.size() == 1 ? " " : "s "), "");
        int first = 0;
        while (first < numbers.size()) {
            int last = first;
            while (last + 1 < numbers.size() && numbers.get(last + 1) == numbers.get(last) + 1) {
                last++;
            }
            ranges.add(first == last ? numbers.get(first).toString() : numbers.get(first) + "-" + numbers.get(last));
            first = last + 1;
        }
        return ranges.toString();
    }

    /** The numbers followed by the verb in the right form. */
    public static String text(List<Integer> numbers, String one, String many) {
        return text(numbers) + " " + (numbers.size() == 1 ? one : many);
    }
}

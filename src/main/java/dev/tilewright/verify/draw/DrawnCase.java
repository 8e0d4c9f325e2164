package dev.tilewright.verify.draw;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A case of a kind that is drawn: what was chosen for its kernel, and for one launch of that.
 *
 * @param program the choices that make the kernel; cases that have the same share it
 * @param launch the choices that make the launch
 */
public record DrawnCase(Generator generator, List<Integer> program, List<Integer> launch) {
    public DrawnCase {
        Objects.requireNonNull(generator, "generator");
        program = List.copyOf(program);
        launch = List.copyOf(launch);
    }

    /** The kernel. @throws Redraw if the choices do not go together */
    public Drawn drawn() {
        return generator.make(Choices.of(program));
    }

    /** Its launch. @param drawn what {@link #drawn} gives */
    public DrawnRun run(Drawn drawn) {
        return drawn.run().apply(Choices.of(launch));
    }

    /** What makes the same case again. */
    @Override
    public String toString() {
        return generator.kind() + " " + Choices.text(program) + "/" + Choices.text(launch);
    }

    /** Simpler ones, the simplest first: some are refused, and some are larger than they look. */
    public Stream<DrawnCase> smaller() {
        return Stream.concat(shorter(program).map(p -> new DrawnCase(generator, p, launch)),
                shorter(launch).map(l -> new DrawnCase(generator, program, l)));
    }

    /** Without a part of the numbers, then with one of them smaller. */
    private static Stream<List<Integer>> shorter(List<Integer> numbers) {
        List<List<Integer>> all = new ArrayList<>();
        for (int size = numbers.size(); size > 0; size /= 2) {
            for (int at = numbers.size() - size; at >= 0; at -= size) {
                List<Integer> rest = new ArrayList<>(numbers.subList(0, at));
                rest.addAll(numbers.subList(at + size, numbers.size()));
                all.add(rest);
            }
        }
        for (int at = 0; at < numbers.size(); at++) {
            int number = numbers.get(at);
            for (int less : number == 0 ? new int[0] : number == 1 ? new int[] {0} : number == 2 ? new int[] {0, 1}
                    : new int[] {0, number / 2, number - 1}) {
                List<Integer> other = new ArrayList<>(numbers);
                other.set(at, less);
                all.add(other);
            }
        }
        return all.stream();
    }
}

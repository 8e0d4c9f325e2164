package dev.tilewright.verify.draw;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.verify.CaseBuffer;
import dev.tilewright.verify.CaseLine;
import dev.tilewright.verify.CaseWork;
import dev.tilewright.verify.VerifyCase;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A case of a kind that is drawn: what was chosen for its kernel, and for one launch of that.
 *
 * @param program the choices that make the kernel; cases that have the same share it
 * @param launch the choices that make the launch
 */
record DrawnCase(Generator generator, List<Integer> program, List<Integer> launch) implements VerifyCase {
    DrawnCase {
        program = withoutZerosAtTheEnd(program);
        launch = withoutZerosAtTheEnd(launch);
    }

    /** They make no difference. */
    private static List<Integer> withoutZerosAtTheEnd(List<Integer> numbers) {
        int size = numbers.size();
        while (size > 0 && numbers.get(size - 1) == 0) {
            size--;
        }
        return List.copyOf(numbers.subList(0, size));
    }

    /** What its kernel is, in a few words. */
    String title() {
        return drawn().title();
    }

    private Drawn drawn() {
        return generator.make(DrawnChoices.of(program));
    }

    /** @throws BadRequestException if the choices do not go together */
    DrawnRun run() {
        try {
            return drawn().run().apply(DrawnChoices.of(launch));
        } catch (Redraw e) {
            throw new BadRequestException("the case '" + line() + "' cannot be made: " + e.getMessage(), e);
        }
    }

    @Override
    public CaseLine line() {
        return new CaseLine(generator.kind()).with(DrawnKind.PROGRAM, DrawnChoices.text(program))
                .with(DrawnKind.LAUNCH, DrawnChoices.text(launch));
    }

    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return other instanceof DrawnCase c && generator.equals(c.generator) && program.equals(c.program);
    }

    /** Compares every byte that the kernel may write, also the bytes that it leaves alone. */
    @Override
    public CaseWork work() {
        DrawnRun run = run();
        List<CaseBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < run.buffers().size(); i++) {
            byte[] before = run.buffers().get(i);
            List<Long> shape = List.of((long) before.length);
            boolean changes = run.isWritten(i);
            buffers.add(changes ? CaseBuffer.changed(run.nameOf(i), ElementType.U8, shape,
                    memory -> memory.copyFrom(MemorySegment.ofArray(before)))
                    : CaseBuffer.input(run.nameOf(i), ElementType.U8, shape,
                    memory -> memory.copyFrom(MemorySegment.ofArray(before))));
        }
        return new CaseWork(run.launch(), buffers, run.expected().isEmpty() ? Optional.empty()
                : Optional.of(memory -> run.expected().forEach((i, after) ->
                memory.get(i).copyFrom(MemorySegment.ofArray(after)))));
    }

    /** The line. */
    @Override
    public String toString() {
        return line().toString();
    }

    /** Shorter lists of choices, and smaller numbers in them; choices that do not go together are left out. */
    @Override
    public List<DrawnCase> smaller() {
        List<DrawnCase> all = new ArrayList<>();
        Stream.concat(shorter(program).map(p -> new DrawnCase(generator, p, launch)),
                shorter(launch).map(l -> new DrawnCase(generator, program, l))).filter(c -> !c.equals(this))
                .forEach(all::add);
        return all;
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

package dev.tilewright.tile.drawn;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Runs drawn kernels, by several schedules each, and holds every byte against the executor's.
 *
 * @param device runs a launch on a memory
 * @param tally counts what was run
 */
public record DrawnDevice(BiConsumer<Launch, MemorySegment> device, Tally tally) {

    /**
     * What came of a kernel.
     *
     * @param cases launches by a schedule that were held against the executor
     * @param programs how many different ones they had
     * @param pairs of schedules with different programs, whose bytes are equal in all launches
     * @param refused schedules by which there is no program
     * @param difference empty, or the first byte that is wrong
     */
    public record Outcome(int cases, int programs, int pairs, int refused, String difference) { }

    public Outcome run(DrawnKernel drawn, List<Schedule> schedules, int launches) {
        List<DrawnCase> cases = IntStream.range(0, launches).mapToObj(drawn::launch).toList();
        List<MemorySegment> wanted = cases.stream().map(c -> c.executed(1)).toList();
        List<Set<TileProgram>> programs = new ArrayList<>();
        int refused = 0;
        for (Schedule schedule : schedules) {
            Optional<List<Launch>> made = Refusals.launches(cases, schedule);
            if (made.isEmpty()) {
                refused++;
                continue;
            }
            programs.add(new HashSet<>());
            for (int i = 0; i < launches; i++) {
                Launch launch = made.get().get(i);
                programs.getLast().add(launch.program());
                MemorySegment memory = cases.get(i).memory();
                device.accept(launch, memory);
                String difference = cases.get(i).difference(memory, wanted.get(i));
                if (!difference.isEmpty()) {
                    return new Outcome(0, 0, 0, refused, "by " + schedule + ": " + difference + "\n" + drawn);
                }
                tally.add(cases.get(i), schedule, launch);
            }
        }
        int pairs = 0;
        for (int i = 0; i < programs.size(); i++) {
            for (int j = 0; j < i; j++) {
                pairs += programs.get(i).equals(programs.get(j)) ? 0 : 1;
            }
        }
        Set<TileProgram> all = new HashSet<>();
        programs.forEach(all::addAll);
        return new Outcome(programs.size() * launches, all.size(), pairs, refused, "");
    }
}

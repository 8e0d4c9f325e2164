package dev.tilewright.verify.draw;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Map;

/** What lanes of warps do together: see {@link WarpPrograms}. */
final class WarpGenerator implements Generator {
    private static final int TASKS = 12;

    @Override
    public String kind() {
        return "warps";
    }

    @Override
    public String title() {
        return "shuffles, votes, matches, reductions and scans by lanes of any mask";
    }

    @Override
    public Drawn make(Choices choices) {
        int tasks = choices.between(1, TASKS);
        WarpPrograms made = new WarpPrograms(choices, tasks);
        TileProgram program = made.program();
        return new Drawn(tasks + " operations", program, launch -> {
            WarpPrograms.Data data = made.data(launch.seed());
            return new DrawnRun(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(data.source(), new byte[data.expected().length]), Map.of(1, data.expected()));
        });
    }
}

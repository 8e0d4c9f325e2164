package dev.tilewright.verify.draw;

import java.util.List;
import java.util.Map;

/** Threads with roles by their numbers: see {@link RolePrograms}. */
final class RoleGenerator implements Generator {

    @Override
    public String kind() {
        return "roles";
    }

    @Override
    public String title() {
        return "threads of a warp with roles of their own: guards, loops, early ends, rings of mbarriers, meetings";
    }

    @Override
    public Drawn make(Choices choices) {
        RolePrograms made = new RolePrograms(choices, false);
        return new Drawn(made.title(), made.program(), launch -> {
            long seed = launch.seed();
            List<byte[]> after = made.after(seed);
            return new DrawnRun(made.launch(), made.before(seed), Map.of(1, after.get(1), 2, after.get(2)));
        });
    }
}

package dev.tilewright.builder.pipeline;

import dev.tilewright.Counted;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The stages of a ring: how many there are, and what each has room for. */
final class RingMemory {
    /** Stages that parities tell apart: any number; more than these fill no shared memory with anything of use. */
    private static final int MOST_STAGES = 1024;

    private final String title;
    private final Expr stages;
    private final Map<StageBuffer, SharedRegion.Buffer> regions = new LinkedHashMap<>();

    /** @param stages how many, a constant, 32 bits */
    RingMemory(String title, Expr stages, int fewest, List<StageBuffer> buffers) {
        this.title = title;
        this.stages = stages;
        if (count() < fewest || count() > MOST_STAGES) {
            throw new IllegalArgumentException("ring " + title + " has " + fewest + " to " + MOST_STAGES
                    + " stages, got " + count());
        }
        Set<String> names = new HashSet<>();
        for (StageBuffer buffer : buffers) {
            if (!names.add(buffer.name())) {
                throw new IllegalArgumentException("ring " + title + " has two buffers named '" + buffer.name() + "'");
            }
            regions.put(buffer, new SharedRegion.Buffer(buffer.name(),
                    Math.multiplyExact(count(), buffer.pitchBytes()), buffer.alignment()));
        }
    }

    /** As in messages. */
    String title() {
        return title;
    }

    Expr stages() {
        return stages;
    }

    int count() {
        return Math.toIntExact(stages.constant().orElseThrow(() -> new IllegalArgumentException("the stages of ring "
                + title + " are a constant number")));
    }

    List<SharedRegion> regions() {
        return new ArrayList<>(regions.values());
    }

    /** Bytes of a stage that are used, in all buffers. */
    Expr bytes() {
        return regions.keySet().stream().map(StageBuffer::bytes).reduce(Expr::plus)
                .orElseThrow(() -> new IllegalStateException("ring " + title + " has no buffers of its own: say how "
                        + "many bytes come"));
    }

    StageBuffer only() {
        if (regions.size() != 1) {
            throw new IllegalStateException("ring " + title + " has " + Counted.of(regions.size(), "buffer")
                    + ": say which is meant");
        }
        return regions.keySet().iterator().next();
    }

    Address.Shared at(StageBuffer buffer, Expr stage) {
        return region(buffer).at(stage.times(buffer.pitch()));
    }

    Address.Shared at(StageBuffer buffer, Expr stage, Expr offset) {
        return region(buffer).at(stage.times(buffer.pitch()).plus(offset));
    }

    private SharedRegion.Buffer region(StageBuffer buffer) {
        SharedRegion.Buffer region = regions.get(buffer);
        if (region == null) {
            throw new IllegalArgumentException("'" + buffer.name() + "' is no buffer of ring " + title + ", which has "
                    + regions.keySet().stream().map(StageBuffer::name).toList());
        }
        return region;
    }

    /** {@code ring of 4 stages: a, b}. */
    @Override
    public String toString() {
        return "ring " + title + " of " + Counted.of(count(), "stage");
    }
}

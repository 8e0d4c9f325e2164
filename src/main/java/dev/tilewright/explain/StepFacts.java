package dev.tilewright.explain;

import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What a program's instructions work on, as their records say. */
final class StepFacts {
    private static final Set<Completion> COPIES =
            Set.of(Completion.CP_ASYNC_GROUP, Completion.BULK_GROUP, Completion.MBARRIER);
    private static final String MBARRIER = "mbar";

    /** An instruction in its place. */
    record Placed(int step, String purpose, Operation.Instruction instruction) {
        Effects effects() {
            return instruction.form().effects();
        }

        WaitFact.Cause as(String does) {
            return new WaitFact.Cause(step, purpose, instruction.form().opcode(), does);
        }
    }

    private final ProgramFlow flow;
    private final List<Placed> instructions;

    StepFacts(TileProgram program) {
        flow = new ProgramFlow(program);
        StepNumbers steps = new StepNumbers(program);
        instructions = IntStream.rangeClosed(1, steps.count())
                .filter(n -> steps.step(n).operation() instanceof Operation.Instruction)
                .mapToObj(n -> new Placed(n, steps.step(n).purpose(),
                        (Operation.Instruction) steps.step(n).operation())).toList();
    }

    List<Placed> instructions(Predicate<Placed> wanted) {
        return instructions.stream().filter(wanted).toList();
    }

    /** The barriers that an instruction works on. */
    Optional<SharedRegion.Barriers> barriers(Placed placed) {
        return placed.instruction().given(MBARRIER).flatMap(this::base)
                .filter(SharedRegion.Barriers.class::isInstance).map(SharedRegion.Barriers.class::cast);
    }

    /** What an instruction reads, or writes, as memory. */
    Set<String> names(Placed placed, boolean written) {
        Set<String> names = new LinkedHashSet<>();
        for (Effects.Access access : placed.effects().accesses()) {
            if ((access.mode() == Effects.Mode.READ) != written && access.proxy() != Effects.Proxy.TENSORMAP) {
                Input input = placed.instruction().input(access.operand());
                if (input instanceof Input.Map(var map)) {
                    names.add("the tensor of " + map.title());
                } else {
                    base(input).filter(base -> !(base instanceof SharedRegion.Barriers)).map(StepFacts::name)
                            .ifPresent(names::add);
                }
            }
        }
        return names;
    }

    /** Shared memory that asynchronous copies fill, in the order of the program. */
    Set<SharedRegion.Buffer> filled() {
        Set<SharedRegion.Buffer> buffers = new LinkedHashSet<>();
        for (Placed placed : instructions(p -> COPIES.contains(p.effects().completion()))) {
            placed.effects().accesses().stream().filter(a -> a.mode() != Effects.Mode.READ)
                    .map(a -> base(placed.instruction().input(a.operand()))).flatMap(Optional::stream)
                    .filter(SharedRegion.Buffer.class::isInstance).forEach(b -> buffers.add((SharedRegion.Buffer) b));
        }
        return buffers;
    }

    /** The region of shared memory, or the pointer, that an address is in. */
    private Optional<Object> base(Input input) {
        return flow.definitions().base(input);
    }

    private static String name(Object base) {
        return "'" + switch (base) {
            case SharedRegion region -> region.name();
            case Parameter parameter -> parameter.name();
            default -> throw new IllegalArgumentException("no memory: " + base);
        } + "'";
    }
}

package dev.tilewright.explain;

import dev.tilewright.Counted;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.StepFacts.Placed;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierTx;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What each wait of a program waits for, who brings it about, and what is so after it. */
final class Waits {
    private static final String UNTIL = "waits until ";

    private final TileProgram program;
    private final CudaSource source;
    private final StepFacts facts;

    private Waits(TileProgram program, CudaSource source) {
        this.program = program;
        this.source = source;
        this.facts = new StepFacts(program);
    }

    static List<WaitFact> of(TileProgram program, CudaSource source) {
        return new Waits(program, source).all();
    }

    private List<WaitFact> all() {
        StepNumbers steps = new StepNumbers(program);
        List<WaitFact> all = new ArrayList<>();
        for (int step = 1; step <= steps.count(); step++) {
            String purpose = steps.step(step).purpose();
            switch (steps.step(step).operation()) {
                case Operation.SyncThreads _ -> all.add(new WaitFact(step, source.lineOf(step), purpose,
                        "__syncthreads", "all " + Counted.of(program.threads(), "thread")
                        + " of the block have arrived here",
                        List.of(), "each thread sees what the others wrote before"));
                case Operation.Instruction i -> wait(new Placed(step, purpose, i)).ifPresent(all::add);
                default -> { }
            }
        }
        return all;
    }

    private Optional<WaitFact> wait(Placed placed) {
        PtxInstruction form = placed.instruction().form();
        return switch (form) {
            case MbarrierWait wait -> Optional.of(phase(placed, wait));
            case BarrierCtaSync _, BarrierCtaRed _ -> Optional.of(fact(placed,
                    "as many threads have arrived as the named barrier counts",
                    causes(p -> p.instruction().form() instanceof BarrierCtaArrive, "arrives at a named barrier"),
                    "each of them sees what the others wrote before they arrived"));
            case BarWarpSync _ -> Optional.of(fact(placed, "every lane of the mask has arrived", List.of(),
                    "each of them sees what the others wrote before they arrived"));
            default -> form.effects().waitsFor().map(w -> group(placed, w))
                    .or(() -> placed.instruction() instanceof Operation.Poll ? Optional.of(value(placed))
                            : Optional.empty());
        };
    }

    private WaitFact fact(Placed placed, String waitsFor, List<WaitFact.Cause> by, String then) {
        return new WaitFact(placed.step(), source.lineOf(placed.step()), placed.purpose(),
                placed.instruction().form().opcode(), waitsFor, by, then);
    }

    private List<WaitFact.Cause> causes(Predicate<Placed> wanted, String does) {
        return facts.instructions(wanted).stream().map(p -> p.as(does)).toList();
    }

    // ---- mbarriers

    private WaitFact phase(Placed placed, MbarrierWait wait) {
        Optional<SharedRegion.Barriers> at = facts.barriers(placed);
        String barrier = at.map(b -> (b.count() > 1 ? "one of the " + b.count() + " mbarriers '" : "the mbarrier '")
                + b.name() + "'")
                .orElse("the mbarrier at a computed address");
        List<Placed> there = at.map(b -> facts.instructions(p -> facts.barriers(p).equals(at))).orElse(List.of());
        List<WaitFact.Cause> by = new ArrayList<>();
        List<Placed> copies = new ArrayList<>();
        for (Placed p : there) {
            PtxInstruction form = p.instruction().form();
            if (form instanceof MbarrierArrival) {
                by.add(p.as(form.effects().completion() == Completion.MBARRIER_ARRIVAL
                        ? "arrives when the thread's copies have landed" : "arrives"));
            } else if (form instanceof MbarrierTx) {
                by.add(p.as("changes the bytes that the phase waits for"));
            } else if (form.effects().completion() == Completion.MBARRIER) {
                by.add(p.as("counts its bytes there, into " + words(facts.names(p, true))));
                copies.add(p);
            }
        }
        return fact(placed, "a phase of " + barrier + " completes" + arrivals(there, !copies.isEmpty()), by,
                afterPhase(wait.effects(), copies, there));
    }

    /** {@code , which takes 1 arrival and the bytes announced}. */
    private static String arrivals(List<Placed> there, boolean countsBytes) {
        Set<String> counts = there.stream().filter(p -> p.instruction().form() instanceof MbarrierInit)
                .map(p -> arrivals(p.instruction().input("arrivals")))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return counts.isEmpty() ? "" : ", which takes " + String.join(" or ", counts)
                + (countsBytes ? " and the announced bytes" : "");
    }

    private static String arrivals(Input count) {
        OptionalLong known = count instanceof Input.Number(var value) ? value.constant() : OptionalLong.empty();
        return known.isEmpty() ? "a computed number of arrivals"
                : Counted.of(known.getAsLong(), "arrival");
    }

    private String afterPhase(Effects effects, List<Placed> copies, List<Placed> there) {
        if (!orders(effects, Effects.Semantics.ACQUIRE)) {
            return "nothing else is ordered: the wait does not acquire";
        }
        Set<String> landed = named(copies, true);
        boolean deferred = there.stream().anyMatch(p -> p.effects().completion() == Completion.MBARRIER_ARRIVAL);
        if (deferred) {
            landed.addAll(named(copies(Completion.CP_ASYNC_GROUP), true));
        }
        List<String> then = new ArrayList<>();
        if (!landed.isEmpty()) {
            then.add("what the copies wrote to " + words(landed) + " may be read");
        }
        if (there.stream().anyMatch(p -> p.instruction().form() instanceof MbarrierArrival
                && orders(p.effects(), Effects.Semantics.RELEASE))) {
            then.add("what the arriving threads did before their arrival is done");
        }
        return then.isEmpty() ? "nothing else is ordered" : String.join("; ", then);
    }

    private static boolean orders(Effects effects, Effects.Semantics one) {
        return effects.order().filter(o -> o.semantics() == one || o.semantics() == Effects.Semantics.ACQ_REL
                || o.semantics() == Effects.Semantics.SC).isPresent();
    }

    private Set<String> named(List<Placed> copies, boolean written) {
        return copies.stream().flatMap(p -> facts.names(p, written).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private List<Placed> copies(Completion completion) {
        return facts.instructions(p -> p.effects().completion() == completion);
    }

    // ---- groups, and what the grid waits for

    private WaitFact group(Placed placed, Effects.Wait wait) {
        return switch (wait) {
            case CP_ASYNC_GROUPS -> copies(placed, Completion.CP_ASYNC_GROUP, true,
                    "this thread may read what its copies of these groups wrote to ");
            case BULK_GROUPS -> copies(placed, Completion.BULK_GROUP, true,
                    "this thread's copies of these groups are written to ");
            case BULK_GROUPS_READ -> copies(placed, Completion.BULK_GROUP, false,
                    "the copies of these groups have read their sources, which may be overwritten: ");
            case WGMMA_GROUPS -> fact(placed, until(placed),
                    causes(p -> p.effects().completion() == Completion.WGMMA_GROUP, "belongs to such a group"),
                    "the products of these groups have read their matrices, and registers hold their results");
            case CLUSTER_BARRIER -> fact(placed, until(placed), List.of(),
                    "what the threads of the cluster released when they arrived may be read");
            case EARLIER_KERNELS -> fact(placed, until(placed), List.of(),
                    "what the grids before this one wrote may be read");
        };
    }

    private WaitFact copies(Placed placed, Completion completion, boolean written, String then) {
        List<Placed> copies = copies(completion);
        return fact(placed, until(placed), copies.stream().map(p -> p.as("copies " + words(facts.names(p, false))
                + " to " + words(facts.names(p, true)))).toList(), then + words(named(copies, written)));
    }

    private static String until(Placed placed) {
        String summary = placed.instruction().form().summary();
        return summary.startsWith(UNTIL) ? summary.substring(UNTIL.length()) : summary;
    }

    /** A poll of memory. */
    private WaitFact value(Placed placed) {
        boolean acquires = orders(placed.effects(), Effects.Semantics.ACQUIRE);
        return fact(placed, "what it reads in " + words(facts.names(placed, false)) + " fulfils its condition",
                List.of(), acquires ? "what the store that it read released may be read" : "nothing else is ordered");
    }

    private static String words(Set<String> names) {
        return names.isEmpty() ? "memory at a computed address" : String.join(", ", names);
    }
}

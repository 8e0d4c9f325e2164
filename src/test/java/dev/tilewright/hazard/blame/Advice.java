package dev.tilewright.hazard.blame;

import dev.tilewright.hazard.Finding;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation.Instruction;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WaitStep;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarWarpSync;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A form of advice that is one step, put somewhere, moved or changed, and the edits that it asks for. What stands
 * around an "or" are several, each of which is right. What the advice leaves to who knows the kernel, as the parity of
 * a wait in a ring, has a few values, one of which is right.
 */
enum Advice {
    // ---- meetings
    MEET_BEFORE("put " + Advice.SYNC + " before step (\\d+)", s -> s.before(s.number(2), s.meeting())),
    MEET_BETWEEN("put " + Advice.SYNC + " between the two.*", s -> s.only(e -> e.between(
            s.finding.access().orElseThrow().step(), s.finding.otherStep(), s.meeting()))),
    MEET_BETWEEN_STEPS("put " + Advice.SYNC + " between step (\\d+) and step (\\d+)",
            s -> s.only(e -> e.between(s.number(2), s.number(3), s.meeting()))),
    MEET_IN_EACH_TURN("put " + Advice.SYNC + " after step (\\d+), in each turn.*",
            s -> s.after(s.number(2), s.meeting())),
    MEET_AFTER_THE_WAIT("put " + Advice.SYNC + " after the wait, behind step (\\d+)",
            s -> s.after(s.number(2), s.meeting())),
    MEET_RIGHT_AFTER_THE_WAIT("put " + Advice.SYNC + " after the wait",
            s -> s.after(s.wantedStep(" waits"), s.meeting())),
    SYNCHRONISE("synchronise the threads after step (\\d+)", s -> s.after(s.number(1), Body::syncThreads)),
    CLUSTER_MEETS("let the blocks of the cluster meet at its barrier between the two",
            s -> s.only(e -> e.between(s.step(), s.finding.otherStep(), Body::clusterSync))),
    CLUSTER_MEETS_AFTER("let the blocks of the cluster meet at its barrier after step (\\d+)",
            s -> s.after(s.number(1), Body::clusterSync)),
    CLUSTER_WAITS("put barrier.cluster.wait after step (\\d+)", s -> s.after(s.number(1),
            b -> b.issue(new BarrierClusterWait().withAcquire().withAligned()))),
    CLUSTER_MEETS_FIRST(".*: put a barrier of the cluster before the first use of another block's shared memory"
            + "(?:; .*)?", s -> s.only(e -> e.beforeAllOf(s.step(), Body::clusterSync))),

    CLUSTER_WAITS_FIRST(".*: put barrier.cluster.wait before the first use of another block's shared memory(?:; .*)?",
            s -> s.only(e -> s.steps(i -> i instanceof BarrierClusterWait).filter(w -> w > s.step()).findFirst()
                    .ifPresentOrElse(wait -> e.moveBeforeAllOf(wait, s.step()), () -> e.beforeAllOf(s.step(),
                            b -> b.issue(new BarrierClusterWait().withAcquire().withAligned()))))),

    // ---- steps that are moved
    MOVE_AFTER("put step (\\d+) after step (\\d+)", s -> s.only(e -> e.moveAfter(s.number(1), s.number(2)))),
    MOVE_BEFORE("put step (\\d+) before step (\\d+)", s -> s.only(e -> e.moveBefore(s.number(1), s.number(2)))),
    MOVE_BLAMED_AFTER("(?:arrive after(?: the read,)?|put it after(?: the copy,)?) step (\\d+)",
            s -> s.only(e -> e.moveAfter(s.step(), s.number(1)))),
    MOVE_AND_MEET("put it after step (\\d+), with __syncthreads\\(\\) between the two", s -> s.only(e -> {
        e.after(s.number(1), Body::syncThreads);
        e.moveAfter(s.step(), s.number(1));
    })),
    MOVE_AFTER_THAT_WAIT("put it after that wait",
            s -> s.only(e -> e.moveAfter(s.step(), s.wantedStep("")))),
    MOVE_WAIT_BEFORE("(?:put that wait|wait) before step (\\d+)",
            s -> s.only(e -> e.moveBefore(s.wantedStep(", which waits"), s.number(1)))),
    ARRIVE_FIRST("arrive before the wait", s -> s.only(e -> e.moveBefore(s.step(), s.finding.otherStep()))),

    // ---- mbarriers: counts, parities, waits
    COUNT("initialise it with (\\d+), or let more threads arrive",
            s -> s.only(e -> e.number(s.step(), "arrivals", _ -> Expr.of(s.number(1))))),
    COUNT_AS_MANY("initialise it with (?:one arrival for each reader|as many arrivals as a phase gets(?:, or wait for"
            + " that phase before the arrival)?)",
            s -> Stream.of(-1, 1, 64).map(n -> s.edit(e -> e.number(s.step(), "arrivals", c -> c.plus(n)))).toList()),
    MORE_OR_FEWER("let more threads perform it: step (\\d+)" + Advice.PLACE + " decides on it; or, where those "
            + "who do not need not, initialise it.*", s -> s.only(e -> e.unguard(s.number(1)))),
    ALL_PERFORM("let (?:(?:them|it) perform it once a phase|all threads that copy perform it): step (\\d+)"
            + Advice.PLACE + " (?:decides on it|lets only some)", s -> s.only(e -> e.unguard(s.number(1)))),
    OTHER_PARITY("wait for parity [01](?:, that of .*| first, which passes on a fresh barrier; or .* once before)?",
            s -> s.parity()),
    PARITY("wait for the parity of the phase that .*", s -> s.parity()),
    WAIT_FOR_IT("wait for it before step (\\d+)", s -> s.waits(s.number(1), s.barriersIn(s.finding.wanted()))),
    WAIT_FOR_NAMED("wait for '([^']*)' before step (\\d+)", s -> s.waits(s.number(2), List.of(s.match.group(1)))),
    WAIT_FOR_SOMETHING("before it, wait for the work that the phase's end announces, or arrive fewer times|wait first "
            + "for "
            + "phase \\d+ of barrier .*, and until its bytes have been read",
            s -> s.waits(s.step(), s.allBarriers())),
    ARRIVE_AFTER_IT("let those who perform step (\\d+) arrive after it(|, by cp.async.mbarrier.arrive.noinc)",
            s -> s.arrivals(s.number(1), s.barriersIn(s.finding.toString()).getFirst(), s.match.group(2))),
    ARRIVE_AFTER("let .*, which wait in step \\d+" + Advice.PLACE + ", arrive after step (\\d+)(|, by "
            + "cp.async.mbarrier.arrive.noinc| and a __syncwarp\\(\\))", s -> s.arrivals(s.number(1),
            s.barriersIn(s.finding.toString()).getFirst(), s.match.group(2))),
    ARRIVE_THERE("arrive at ([^\\[]*)\\[\\d+] there", s -> s.only(e -> e.input(s.step(), "mbar", at ->
            Input.of(s.barriers(s.match.group(1)).at(((Address.Barrier) at.place().orElseThrow()).index()))))),
    ARRIVAL_RELEASES("let that arrival release, as it does without .relaxed",
            s -> s.only(e -> e.form(s.step(), Advice::released))),
    INIT_FENCE("put fence.mbarrier_init after the initialisation",
            s -> s.after(s.finding.otherStep(), b -> b.issue(new FenceMbarrierInit()))),
    INIT_FENCE_BEHIND("let the thread that initialises perform it, after the initialisation",
            s -> s.only(e -> e.moveAfter(s.step(), s.finding.otherStep()))),
    FOLLOW_COPIES("arrive there by cp.async.mbarrier.arrive.noinc|use .noinc there, or let the threads arrive as well",
            s -> s.only(e -> e.form(s.step(), new CpAsyncMbarrierArrive().withNoinc(),
                    ((Instruction) e.operation(s.step())).input("mbar")))),

    FOLLOW_BEFORE("put cp.async.mbarrier.arrive before step (\\d+), at the same barrier", s -> s.only(e ->
            e.before(s.number(1), b -> b.issue(new CpAsyncMbarrierArrive(),
                    ((Instruction) e.operation(s.number(1))).input("mbar"))))),
    ARRIVE_AS_WELL("let the threads arrive as well, after step (\\d+)", s -> s.only(e ->
            e.after(s.number(1), b -> b.issue(new MbarrierArrive(),
                    ((Instruction) e.operation(s.number(1))).input("mbar"))))),

    // ---- mbarriers: stages
    STAGE("(?:copy to|arrive at the barrier of|wait for the barrier of|touch the bytes of|read the bytes of) the stage "
            + ".*|let the wait, the work after it and the arrival be for one stage",
            s -> s.only(e -> e.stageBack(s.step()))),
    COUNT_THERE("let the copy complete on the barrier on which step (\\d+)" + Advice.PLACE + " announces its bytes",
            s -> s.only(e -> e.input(s.step(), "mbar", _ -> ((Instruction) e.operation(s.number(1))).input("mbar")))),
    COUNT_WHERE_ANNOUNCED("let the copy complete on the barrier on which its bytes are announced",
            s -> s.steps(i -> i instanceof MbarrierArriveExpectTx).map(i -> s.edit(e -> e.input(s.step(), "mbar",
                    _ -> ((Instruction) e.operation(i)).input("mbar")))).toList()),
    MASK("set bit (\\d+) of the mask", s -> s.only(e -> e.number(s.step(), "cta_mask",
            mask -> mask.bitOr(1 << s.number(1))))),

    // ---- bytes
    ANNOUNCE_ALL("announce the bytes of all copies that complete on it",
            s -> s.only(e -> e.number(s.step(), "bytes", _ -> Expr.of(s.numberIn("(\\d+) under way"))))),
    ANNOUNCE_WITH_ARRIVAL("(?:arrive with the announcement|announce them with the arrival): mbarrier.arrive.expect_tx",
            s -> s.announcements((e, copies) -> {
                Instruction at = (Instruction) e.operation(s.step());
                e.form(s.step(), new MbarrierArriveExpectTx(), at.input("mbar"), at.given("bytes").orElseGet(() ->
                        bytes(e, s.finding.otherStep(), copies)));
            })),
    ANNOUNCE_BEFORE("announce the bytes with an arrival, before the copy: mbarrier.arrive.expect_tx",
            s -> s.announcements((e, copies) -> {
                Instruction copy = (Instruction) e.operation(s.step());
                e.before(s.step(), b -> b.issue(new MbarrierArriveExpectTx(), copy.input("mbar"),
                        bytes(e, s.step(), copies)));
            })),

    // ---- groups
    COMMIT("commit the group after the (?:copy|product)",
            s -> s.only(e -> e.after(s.finding.otherStep(), s.commitOf(s.finding.otherStep())))),
    COMMIT_AFTER("commit the group after step (\\d+)", s -> s.after(s.number(1), s.commitOf(s.step()))),
    COMMIT_SOONER("put it before the wait for the group, step (\\d+)",
            s -> s.only(e -> e.moveBefore(s.step(), s.number(1)))),
    COMMIT_BEFORE("commit the copy's group before that wait",
            s -> s.before(s.step(), s.commitOf(s.finding.otherStep()))),
    COMMIT_PRODUCT("put wgmma.commit_group after the product and before that wait",
            s -> s.before(s.numberIn("so that step (\\d+) does not wait"), b -> b.issue(new WgmmaCommitGroup()))),
    FENCE("put wgmma.fence before (?:it|step (\\d+))", s -> s.before(s.step(), b -> b.issue(new WgmmaFence()))),
    WAIT_FOR_PRODUCTS("wait for the product's group, which step \\d+ closes, with wgmma.wait_group 0, before step"
            + " (\\d+)", s -> s.before(s.number(1), b -> b.issue(new WgmmaWaitGroup(0)))),
    FEWER_PENDING("let that wait leave fewer groups pending(?:, or wait once more)?",
            s -> s.only(e -> e.form(s.step(), Advice::fewerPending))),
    WAIT_FOR_GROUP("wait for the group before step (\\d+)",
            s -> s.before(s.number(1), b -> b.issue(new CpAsyncWaitGroup(0)))),
    WAIT_UNTIL_READ("put cp.async.bulk.wait_group.read 0 after step (\\d+), which closes its group",
            s -> s.after(s.number(1), b -> b.issue(new BulkWaitGroup(0, true)))),
    WAIT_AT_END("wait with cp.async.bulk.wait_group.read 0 before the end",
            s -> s.only(e -> e.atEnd(b -> b.issue(new BulkWaitGroup(0, true))))),

    // ---- fences, orders and scopes
    PROXY_FENCE("in the writing thread, put fence.proxy.async after the writes and before it lets other threads go on",
            s -> s.after(s.finding.otherStep(), b -> b.issue(new FenceProxyAsync()))),
    FENCED_MEMORY("let it be for (?:shared|global) memory: fence.proxy.async.(shared::cta|global)",
            s -> s.only(e -> e.form(s.step(), new FenceProxyAsync().withMemory(s.match.group(1).equals("global")
                    ? FenceProxyAsync.Memory.GLOBAL : FenceProxyAsync.Memory.SHARED)))),
    MOVE_FENCE_AFTER("put it after the writes, step (\\d+), and before what lets other threads go on",
            s -> s.only(e -> e.moveAfter(s.step(), s.number(1)))),
    MOVE_FENCE_TO_WRITER("let the writing thread perform it after its writes, before what lets other threads go on",
            s -> s.only(e -> e.copyAfter(s.step(), s.finding.otherStep()))),
    RELEASE("give it release semantics, or put a fence before it",
            s -> s.only(e -> e.form(s.step(), Advice::released)),
            s -> s.before(s.step(), b -> b.issue(new Fence(s.scope())))),
    ACQUIRE("give that load acquire semantics, or put a fence after it",
            s -> s.only(e -> e.form(s.step(), Advice::acquired)),
            s -> s.after(s.step(), b -> b.issue(new Fence(s.scope())))),
    SCOPE("give it the scope .(gpu|cluster)",
            s -> s.only(e -> e.form(s.step(), f -> scoped(f, s.scope())))),
    STORE_RELEASING("store it by st.release.gpu", s -> s.only(e -> {
        Operation.StoreValues store = (Operation.StoreValues) e.operation(s.step());
        e.form(s.step(), St.release(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(store.to()),
                Input.of(store.values().getFirst()));
    }));

    static final String SYNC = "(__syncthreads\\(\\)|__syncwarp\\(\\))";
    static final String PLACE = " \\('[^']*', [^)]*\\)";

    /** A change of a program. */
    @FunctionalInterface
    interface Edit extends Consumer<StepEdit> {
    }

    /** The edits of which one is what advice asks for. */
    @FunctionalInterface
    private interface Way extends Function<Said, List<Edit>> {
    }

    private final Pattern form;
    private final List<Way> ways;

    Advice(String form, Way... ways) {
        this.form = Pattern.compile(form);
        this.ways = List.of(ways);
    }

    /** The advice of a finding, which may be in a sentence of the reference's. */
    static String text(Finding finding) {
        return finding.fix().isEmpty() ? finding.message() : finding.fix();
    }

    static boolean isOfAForm(Finding finding) {
        return Stream.of(values()).anyMatch(advice -> advice.form.matcher(text(finding)).matches());
    }

    /** What the advice of a finding asks for: each of these, of which one edit each is right; empty for no form. */
    static Optional<List<List<Edit>>> of(TileProgram program, Finding finding) {
        return Stream.of(values()).flatMap(advice -> {
            Matcher m = advice.form.matcher(text(finding));
            return m.matches() ? Stream.of(advice.ways.stream().map(way -> way.apply(new Said(program, finding,
                    m.toMatchResult()))).toList()) : Stream.empty();
        }).findFirst();
    }

    /** The bytes of several copies like one. */
    private static Input bytes(StepEdit e, int copy, int copies) {
        return Input.of(((Input.Number) ((Instruction) e.operation(copy)).input("bytes")).value().times(copies));
    }

    private static PtxInstruction fewerPending(PtxInstruction form) {
        return switch (form) {
            case CpAsyncWaitGroup g -> new CpAsyncWaitGroup(g.pending() - 1);
            case BulkWaitGroup g -> new BulkWaitGroup(g.pending() - 1, g.read());
            case WgmmaWaitGroup g -> new WgmmaWaitGroup(g.pending() - 1);
            default -> throw new AssertionError(form);
        };
    }

    private static PtxInstruction released(PtxInstruction form) {
        return switch (form) {
            case MbarrierArrive a -> a.withOrder(a.order() == ArriveOrder.RELAXED_CLUSTER
                    ? ArriveOrder.RELEASE_CLUSTER : ArriveOrder.DEFAULT);
            case St st -> St.release(st.scope(), st.space(), st.type());
            default -> throw new AssertionError(form);
        };
    }

    private static PtxInstruction acquired(PtxInstruction form) {
        return form instanceof Ld ld ? Ld.acquire(ld.scope(), ld.space(), ld.type()) : null;
    }

    private static PtxInstruction scoped(PtxInstruction form, Scope scope) {
        return switch (form) {
            case Ld ld -> new Ld(ld.mmio(), ld.order(), scope, ld.space(), ld.type());
            case St st -> new St(st.mmio(), st.order(), scope, st.space(), st.type());
            case MbarrierArrive a -> a.withOrder(ArriveOrder.RELEASE_CLUSTER);
            case MbarrierTryWaitParity w -> w.withOrder(WaitOrder.ACQUIRE_CLUSTER);
            default -> throw new AssertionError(form);
        };
    }

    /** A finding whose advice is of a form. */
    private record Said(TileProgram program, Finding finding, MatchResult match) {
        int step() {
            return finding.step();
        }

        int number(int group) {
            return Integer.parseInt(match.group(group));
        }

        /** A number in the message. */
        int numberIn(String pattern) {
            return numberIn(pattern, finding.toString());
        }

        private static int numberIn(String pattern, String text) {
            Matcher m = Pattern.compile(pattern).matcher(text);
            if (!m.find()) {
                throw new AssertionError(pattern + " in " + text);
            }
            return Integer.parseInt(m.group(1));
        }

        /** A step that the reason names. */
        int wantedStep(String before) {
            return numberIn("step (\\d+)" + PLACE + before, finding.wanted());
        }

        Scope scope() {
            return program.cluster().hasClusters() ? Scope.CLUSTER : Scope.GPU;
        }

        // ---- edits

        /** Of the bytes of one copy, or as many more as blocks of a cluster may bring there. */
        List<Edit> announcements(ObjIntConsumer<StepEdit> announce) {
            return IntStream.of(1, 2, 4).mapToObj(copies -> edit(e -> announce.accept(e, copies))).toList();
        }

        Edit edit(Edit edit) {
            return edit;
        }

        List<Edit> only(Edit edit) {
            return List.of(edit);
        }

        List<Edit> before(int step, Consumer<Body> code) {
            return only(e -> e.before(step, code));
        }

        List<Edit> after(int step, Consumer<Body> code) {
            return only(e -> e.after(step, code));
        }

        Consumer<Body> meeting() {
            return match.group(1).startsWith("__syncthreads") ? Body::syncThreads
                    : b -> b.issue(new BarWarpSync(), Input.of(-1));
        }

        Consumer<Body> commitOf(int copy) {
            String opcode = ((Instruction) new StepNumbers(program).step(copy).operation()).form().opcode();
            PtxInstruction commit = opcode.startsWith("wgmma") ? new WgmmaCommitGroup()
                    : opcode.startsWith("cp.async.bulk") ? new BulkCommitGroup() : new CpAsyncCommitGroup();
            return b -> b.issue(commit);
        }

        /** Other parities for the wait at fault. */
        List<Edit> parity() {
            return Stream.concat(Stream.<Function<Expr, Expr>>of(p -> Expr.of(1).minus(p)),
                    Stream.concat(rounds(step(), stages()).stream(), names(step())).map(r -> _ -> r))
                    .map(p -> edit(e -> e.number(step(), "parity", p::apply))).toList();
        }

        private int stages() {
            Instruction wait = (Instruction) new StepNumbers(program).step(step()).operation();
            return ((Address.Barrier) wait.input("mbar").place().orElseThrow()).barriers().count();
        }

        /** Waits for a barrier of arrays, before a step. */
        List<Edit> waits(int step, List<String> arrays) {
            List<Edit> edits = new ArrayList<>();
            for (String array : arrays) {
                SharedRegion.Barriers barriers = barriers(array);
                for (Expr index : indices(step, barriers.count())) {
                    for (Expr parity : rounds(step, barriers.count())) {
                        edits.add(e -> e.before(step, b -> wait(b, barriers.at(index), parity)));
                    }
                }
            }
            return edits;
        }

        private void wait(Body body, Address.Barrier barrier, Expr parity) {
            WaitStep wait = body.waitParity(barrier, parity);
            if (program.cluster().hasClusters()) {
                wait.order(WaitOrder.ACQUIRE_CLUSTER);
            }
        }

        List<Edit> arrivals(int step, String array, String how) {
            SharedRegion.Barriers barriers = barriers(array);
            return indices(step, barriers.count()).stream().map(index -> edit(e -> e.after(step, b -> {
                if (how.isEmpty()) {
                    b.arrive(barriers.at(index));
                } else if (how.contains("noinc")) {
                    b.issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(barriers.at(index)));
                } else {
                    b.syncWarp();
                    b.when(Blame.T.modulo(32).isEqualTo(0), one -> one.arrive(barriers.at(index)));
                }
            }))).toList();
        }

        // ---- barriers

        SharedRegion.Barriers barriers(String array) {
            return (SharedRegion.Barriers) program.shared().regions().stream().filter(r -> r.name().equals(array))
                    .findFirst().orElseThrow();
        }

        List<String> barriersIn(String text) {
            return Pattern.compile("barrier ([^ \\[]*)\\[").matcher(text).results().map(m -> m.group(1)).distinct()
                    .toList();
        }

        List<String> allBarriers() {
            return program.shared().regions().stream().filter(r -> r instanceof SharedRegion.Barriers)
                    .map(SharedRegion::name).toList();
        }

        /** The steps with a form. */
        Stream<Integer> steps(Function<PtxInstruction, Boolean> wanted) {
            StepNumbers numbers = new StepNumbers(program);
            return IntStream.rangeClosed(1, numbers.count()).boxed().filter(n -> numbers.step(n).operation()
                    instanceof Instruction i && wanted.apply(i.form()));
        }

        /** What barriers of a ring are counted by: the turn of the loops around a step, or nothing. */
        private List<Expr> indices(int step, int stages) {
            return Stream.concat(turns(step).map(t -> t.modulo(stages)), IntStream.range(0, stages).mapToObj(Expr::of))
                    .toList();
        }

        private List<Expr> rounds(int step, int stages) {
            return Stream.concat(turns(step).flatMap(t -> Stream.of(t.dividedBy(stages).modulo(2),
                    t.dividedBy(stages).plus(1).modulo(2), t.modulo(2))), Stream.of(Expr.of(0), Expr.of(1))).toList();
        }

        /** What values that have names before a step say the other way round, such as the parity of a cursor's lap. */
        private Stream<Expr> names(int step) {
            StepNumbers numbers = new StepNumbers(program);
            return IntStream.range(1, step).mapToObj(numbers::step).flatMap(s -> s.operation() instanceof
                    Operation.Let let ? Stream.of(Expr.of(1).minus(let.variable())) : Stream.empty());
        }

        private Stream<Expr.Var> turns(int step) {
            StepNumbers numbers = new StepNumbers(program);
            return IntStream.range(1, step).mapToObj(numbers::step).flatMap(s -> s.operation() instanceof
                    Operation.Loop loop && within(loop.body(), numbers.step(step)) ? Stream.of(loop.variable())
                    : Stream.empty());
        }

        private static boolean within(List<Step> body, Step step) {
            return body.stream().anyMatch(s -> s == step
                    || s.operation().bodies().stream().anyMatch(b -> within(b, step)));
        }
    }
}

package dev.tilewright.hazard.blame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.program.Operation.Issue;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarWarpSync;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the first finding advises is done, word by word, where it is one step that is put somewhere, moved or changed:
 * the kernel is clean then.
 */
class AdviceTest {
    private static final String SYNC = "(__syncthreads\\(\\)|__syncwarp\\(\\))";

    /** A form of advice, and the edit that it asks for. */
    private enum Advice {
        MEET_BEFORE("put " + SYNC + " before step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.before(number(m, 2), meeting(m.group(1)));
            }
        },
        MEET_BETWEEN("put " + SYNC + " between the two.*") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.between(f.access().orElseThrow().step(), f.otherStep(), meeting(m.group(1)));
            }
        },
        MEET_BETWEEN_STEPS("put " + SYNC + " between step (\\d+) and step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.between(number(m, 2), number(m, 3), meeting(m.group(1)));
            }
        },
        MEET_IN_EACH_TURN("put " + SYNC + " after step (\\d+), in each turn.*") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(number(m, 2), meeting(m.group(1)));
            }
        },
        MEET_AFTER_THE_WAIT("put " + SYNC + " after the wait, behind step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(number(m, 2), meeting(m.group(1)));
            }
        },
        MEET_RIGHT_AFTER_THE_WAIT("put " + SYNC + " after the wait") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Matcher wait = Pattern.compile("step (\\d+) \\('[^']*', [^)]*\\) waits").matcher(f.wanted());
                if (wait.find()) {
                    edit.after(number(wait, 1), meeting(m.group(1)));
                }
            }
        },
        MOVE_AFTER("put step (\\d+) after step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(number(m, 2), edit.taken(number(m, 1)));
            }
        },
        MOVE_BLAMED_AFTER("(?:arrive after(?: the read,)?|put it after the copy,) step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(number(m, 1), edit.taken(f.step()));
            }
        },
        MOVE_WAIT_BEFORE("(?:put that wait|wait) before step (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Matcher wait = Pattern.compile("step (\\d+) \\('[^']*', [^)]*\\), which waits").matcher(f.wanted());
                if (wait.find()) {
                    edit.before(number(m, 1), edit.taken(number(wait, 1)));
                }
            }
        },
        COUNT("initialise it with (\\d+), or let more threads arrive") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Issue init = (Issue) edit.operation(f.step());
                edit.replace(f.step(), new Issue(init.form(), List.of(init.inputs().getFirst(),
                        Input.of(number(m, 1))), List.of()));
            }
        },
        COMMIT("commit the group after the (?:copy|product)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(f.otherStep(), commit(edit.operation(f.otherStep())));
            }
        },
        COMMIT_PRODUCT("put wgmma.commit_group after the product and before that wait") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Matcher wait = Pattern.compile("so that step (\\d+) does not wait").matcher(f.wanted());
                wait.find();
                edit.before(number(wait, 1), new Issue(new WgmmaCommitGroup(), List.of(), List.of()));
            }
        },
        FENCE("put wgmma.fence before (?:it|step (\\d+))") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.before(f.step(), new Issue(new WgmmaFence(), List.of(), List.of()));
            }
        },
        WAIT_FOR_PRODUCTS("wait for the product's group, which step \\d+ closes, with wgmma.wait_group 0, before step"
                + " (\\d+)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.before(number(m, 1), new Issue(new WgmmaWaitGroup(0), List.of(), List.of()));
            }
        },
        FEWER_PENDING("let that wait leave fewer groups pending(?:, or wait once more)?") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Issue wait = (Issue) edit.operation(f.step());
                edit.replace(f.step(), new Issue(switch (wait.form()) {
                    case CpAsyncWaitGroup g -> new CpAsyncWaitGroup(g.pending() - 1);
                    case BulkWaitGroup g -> new BulkWaitGroup(g.pending() - 1, g.read());
                    case WgmmaWaitGroup g -> new WgmmaWaitGroup(g.pending() - 1);
                    default -> throw new AssertionError(wait);
                }, wait.inputs(), wait.results()));
            }
        },
        INIT_FENCE("put fence.mbarrier_init after the initialisation") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(f.otherStep(), new Issue(new FenceMbarrierInit(), List.of(), List.of()));
            }
        },
        PROXY_FENCE("in the writing thread, put fence.proxy.async after the writes and before it lets other "
                + "threads go on") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(f.otherStep(), new Issue(new FenceProxyAsync(), List.of(), List.of()));
            }
        },
        FENCED_MEMORY("let it be for (?:shared|global) memory: fence.proxy.async.(shared::cta|global)") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.replace(f.step(), new Issue(new FenceProxyAsync().withMemory(m.group(1).equals("global")
                        ? FenceProxyAsync.Memory.GLOBAL : FenceProxyAsync.Memory.SHARED), List.of(), List.of()));
            }
        },
        MOVE_FENCE_AFTER("put it after the writes, step (\\d+), and before what lets other threads go on") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                edit.after(number(m, 1), edit.taken(f.step()));
            }
        },
        FOLLOW_COPIES("arrive there by cp.async.mbarrier.arrive.noinc|use .noinc there, or let the threads arrive as"
                + " well") {
            @Override
            void make(StepEdit edit, Finding f, Matcher m) {
                Issue arrive = (Issue) edit.operation(f.step());
                edit.replace(f.step(), new Issue(new CpAsyncMbarrierArrive().withNoinc(),
                        List.of(arrive.inputs().getFirst()), List.of()));
            }
        };

        private final Pattern form;

        Advice(String form) {
            this.form = Pattern.compile(form);
        }

        abstract void make(StepEdit edit, Finding f, Matcher m);

        private static int number(Matcher m, int group) {
            return Integer.parseInt(m.group(group));
        }

        private static Operation meeting(String what) {
            return what.startsWith("__syncthreads") ? new Operation.SyncThreads()
                    : new Issue(new BarWarpSync(), List.of(Input.of(Expr.of(-1))), List.of());
        }

        private static Operation commit(Operation copy) {
            String opcode = ((Operation.Instruction) copy).form().opcode();
            return new Issue(opcode.startsWith("wgmma") ? new WgmmaCommitGroup()
                    : opcode.startsWith("cp.async.bulk") ? new BulkCommitGroup() : new CpAsyncCommitGroup(), List.of(),
                    List.of());
        }
    }

    /** Edits of a program's steps, which keep their numbers until all are made. */
    private static final class StepEdit {
        private final TileProgram program;
        private final StepNumbers numbers;
        private final TreeMap<Integer, List<Operation>> before = new TreeMap<>();
        private final TreeMap<Integer, List<Operation>> after = new TreeMap<>();
        private final TreeMap<Integer, Optional<Operation>> changed = new TreeMap<>();
        private int last;

        StepEdit(TileProgram program) {
            this.program = program;
            this.numbers = new StepNumbers(program);
        }

        Operation operation(int step) {
            return numbers.step(step).operation();
        }

        void before(int step, Operation operation) {
            before.computeIfAbsent(step, _ -> new ArrayList<>()).add(operation);
        }

        void after(int step, Operation operation) {
            after.computeIfAbsent(step, _ -> new ArrayList<>()).add(operation);
        }

        void replace(int step, Operation operation) {
            changed.put(step, Optional.of(operation));
        }

        Operation taken(int step) {
            changed.put(step, Optional.empty());
            return operation(step);
        }

        /** Before the later of two steps, or what has it and not the earlier one. */
        void between(int a, int b, Operation operation) {
            int later = Math.max(a, b);
            int place = Math.min(a, b) + 1;
            while (place + size(operation(place)) <= later) {
                place++;
            }
            before(place, operation);
        }

        private static int size(Operation operation) {
            return 1 + operation.bodies().stream().flatMap(List::stream).mapToInt(s -> size(s.operation())).sum();
        }

        TileProgram made() {
            last = 0;
            return new TileProgram(program.name(), program.purpose(), program.block(), program.cluster(),
                    program.parameters(), program.shared(), made(program.body()));
        }

        private List<Step> made(List<Step> steps) {
            List<Step> result = new ArrayList<>();
            for (Step step : steps) {
                int number = ++last;
                before.getOrDefault(number, List.of()).forEach(o -> result.add(new Step("advised", o)));
                Operation inner = switch (step.operation()) {
                    case Operation.Guard g -> {
                        List<Step> body = made(g.body());
                        yield new Operation.Guard(g.condition(), body, made(g.otherwise()));
                    }
                    case Operation.Loop l -> new Operation.Loop(l.variable(), l.from(), l.until(), l.by(),
                            made(l.body()), l.unrolled());
                    case Operation.While w -> new Operation.While(w.condition(), made(w.body()));
                    default -> step.operation();
                };
                changed.getOrDefault(number, Optional.of(inner)).ifPresent(o -> result.add(step.with(o)));
                after.getOrDefault(number, List.of()).forEach(o -> result.add(new Step("advised", o)));
            }
            return result;
        }
    }

    private static Optional<UnaryOperator<TileProgram>> followed(Finding finding) {
        for (Advice advice : Advice.values()) {
            Matcher m = advice.form.matcher(finding.fix());
            if (m.matches()) {
                return Optional.of(program -> {
                    StepEdit edit = new StepEdit(program);
                    advice.make(edit, finding, m);
                    return edit.made();
                });
            }
        }
        return Optional.empty();
    }

    @Test
    void leavesACleanKernel() {
        List<String> wrong = new ArrayList<>();
        int all = 0;
        int done = 0;
        for (Blame blame : Stream.concat(BlameTest.all().stream(), DrawnRingsTest.all()).toList()) {
            all++;
            HazardReport report = blame.check();
            Optional<UnaryOperator<TileProgram>> edit = report.isClean() ? Optional.empty()
                    : followed(report.findings().getFirst());
            if (edit.isPresent()) {
                done++;
                try {
                    HazardReport then = Blame.edited(edit.get(), blame::check);
                    if (!then.isClean()) {
                        wrong.add(blame + "\n    " + report.findings().getFirst() + "\n    then: "
                                + then.findings().getFirst());
                    }
                } catch (IllegalArgumentException e) {
                    wrong.add(blame + "\n    " + report.findings().getFirst() + "\n    then: " + e.getMessage());
                }
            }
        }
        int followed = done;
        int of = all;
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + followed + ":\n" + String.join("\n", wrong));
        assertTrue(done > 85, () -> "advice was followed in " + followed + " of " + of + " kernels");
    }
}

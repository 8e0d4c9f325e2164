package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.FLAGS;
import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Data handed over by a flag in kernels of drawn shapes. A plain store raises the flag: that is one finding, at the
 * store, whatever else the two sides meet by.
 */
class DrawnFlagsTest {
    private static final int DRAWN = Integer.getInteger("tilewright.blames", Thorough.of(4, 12));
    private static final int MOST_TURNS = 4;

    /**
     * A hand-over.
     *
     * @param all whether all threads of the writing side write, and not only the one that raises the flag
     * @param met whether they meet before it is raised
     * @param meets whether all of the reading side read, and meet after one of them has waited
     * @param inShared whether the flag is in shared memory
     * @param blocks two, of which the first writes and the second reads, or one with a warp for each
     * @param dataShared whether the data is in shared memory
     * @param loop whether the turns are a loop's
     * @param polls whether the flag is looked at in a loop, and not by a wait
     * @param plain whether the flag is raised by a plain store
     */
    private record HandOver(boolean all, boolean met, boolean meets, boolean inShared, int blocks, boolean dataShared,
            int turns, boolean loop, boolean polls, int raiser, int waiter, boolean plain) {

        static HandOver draw(SplittableRandom random, boolean all, boolean meets, boolean inShared, int blocks) {
            int raiser = random.nextInt(32);
            return new HandOver(all, all, meets, inShared, blocks, random.nextBoolean() && (blocks == 1 || inShared),
                    random.nextInt(1, MOST_TURNS), random.nextBoolean(), random.nextBoolean(), raiser,
                    (raiser + random.nextInt(1, 32)) % 32, true);
        }

        HandOver released() {
            return new HandOver(all, met, meets, inShared, blocks, dataShared, turns, loop, polls, raiser, waiter,
                    false);
        }

        HandOver withoutMeeting() {
            return new HandOver(all, false, meets, inShared, blocks, dataShared, turns, loop, polls, raiser, waiter,
                    plain);
        }

        boolean isOfPlainStore(Finding f) {
            return f.purpose().equals("raise") && f.wanted().contains("by a plain store")
                    && f.fix().equals("store it by st.release." + scope().name().toLowerCase())
                    && f.alsoAt().stream().map(StepLocation::purpose).allMatch(Set.of("take", "raised")::contains);
        }

        private static final SharedRegion.Buffer FLAG = new SharedRegion.Buffer("flag", 128, 128);
        private static final SharedRegion.Buffer DATA = new SharedRegion.Buffer("data", MOST_TURNS * 128, 128);

        Scope scope() {
            return blocks == 1 ? Scope.CTA : inShared ? Scope.CLUSTER : Scope.GPU;
        }

        private boolean isCluster() {
            return blocks == 2 && inShared;
        }

        HazardReport check() {
            return Blame.check(blocks == 1 ? 64 : 32, blocks, isCluster() ? 2 : 1, List.of(FLAG, DATA), this::write);
        }

        private Address flag() {
            return inShared ? FLAG.at(0) : new Address.Global(FLAGS, 0);
        }

        private void write(Body body) {
            if (inShared) {
                body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("no flag").store(FLAG.at(0), Value.u32(0)));
                if (isCluster()) {
                    body.purpose("begin").clusterSync();
                } else {
                    body.purpose("begin").syncThreads();
                }
            }
            Expr first = blocks == 1 ? T.lessThan(32) : Builtin.BLOCK.isEqualTo(0);
            body.purpose("sides").when(first, writers -> turns(writers, this::leave),
                    readers -> turns(readers, (b, turn) -> take(b, turn, blocks == 1 ? T.minus(32) : T)));
            if (isCluster()) {
                body.purpose("end").clusterSync();
            }
        }

        private void turns(Body body, BiConsumer<Body, Expr> code) {
            if (loop) {
                body.purpose("turns").loop("turn", turns, code::accept);
            } else {
                for (int turn = 0; turn < turns; turn++) {
                    code.accept(body, Expr.of(turn));
                }
            }
        }

        private void leave(Body body, Expr turn) {
            Expr at = turn.times(128).plus(T.times(4));
            if (all) {
                put(body, at);
            }
            if (met) {
                meet(body, "all left");
            }
            body.purpose("one").when(T.isEqualTo(raiser), one -> {
                if (!all) {
                    put(one, at);
                }
                if (plain) {
                    one.purpose("raise").store(flag(), Value.of(turn.plus(1)));
                } else {
                    one.purpose("raise").issue(St.release(scope(), inShared ? Space.SHARED_CTA : Space.GLOBAL,
                            DataType.U32), Input.of(flag()), Input.of(turn.plus(1)));
                }
            });
        }

        private void put(Body body, Expr at) {
            Fragment f = body.purpose("load").load("own", ElementType.U32, 1, from(at));
            body.purpose("leave").store(dataShared ? DATA.at(at) : to(at), f);
        }

        private void meet(Body body, String purpose) {
            if (blocks == 1) {
                body.purpose(purpose).syncWarp();
            } else {
                body.purpose(purpose).syncThreads();
            }
        }

        private void take(Body body, Expr turn, Expr reader) {
            body.purpose("one").when(reader.isEqualTo(waiter), one -> {
                if (polls) {
                    Input at = isCluster() ? Input.of(one.purpose("there").issue("there", Mapa.ofShared(),
                            Input.of(flag()), Input.of(0))) : Input.of(flag());
                    Ld look = Ld.acquire(scope(), isCluster() ? Space.SHARED_CLUSTER : inShared ? Space.SHARED_CTA
                            : Space.GLOBAL, DataType.U32);
                    one.purpose("until").repeatWhile(Expr.of(0).isEqualTo(0), again -> {
                        Expr.Var seen = again.purpose("raised").issue("seen", look, at);
                        again.purpose("enough").when(seen.atLeast(turn.plus(1)), Body::breakLoop);
                    });
                } else {
                    one.purpose("raised").waitUntil("seen", ValueType.U32, isCluster() ? FLAG.at(0).in(0) : flag(),
                            v -> v.atLeast(turn.plus(1))).scope(scope());
                }
                if (!meets) {
                    get(one, turn, Expr.of(all ? waiter : raiser), reader);
                }
            });
            if (meets) {
                meet(body, "all know");
                get(body, turn, all ? reader : Expr.of(raiser), reader);
            }
        }

        private void get(Body body, Expr turn, Expr word, Expr reader) {
            Expr at = turn.times(128).plus(word.times(4));
            if (dataShared && isCluster()) {
                Expr there = body.purpose("its place").issue("its", Mapa.ofShared(), Input.of(DATA.at(at)),
                        Input.of(0));
                Expr value = body.purpose("take").issue("value", Ld.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER,
                        DataType.U32), Input.of(there));
                body.purpose("show").store(to(turn.times(128).plus(reader.times(4)).plus(4096)), Value.of(value));
                return;
            }
            Fragment f = body.purpose("take").load("taken", ElementType.U32, 1, dataShared ? DATA.at(at) : to(at));
            body.purpose("show").store(to(turn.times(128).plus(reader.times(4)).plus(4096)), f);
        }
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"false,1", "false,2", "true,1", "true,2"})
    void aPlainStoreThatRaisesAFlagIsOneFinding(boolean inShared, int blocks) {
        SplittableRandom random = new SplittableRandom(31 + blocks + (inShared ? 2 : 0));
        List<String> wrong = new ArrayList<>();
        int alsoTaken = 0;
        for (int i = 0; i < 4 * DRAWN; i++) {
            HandOver drawn = HandOver.draw(random, (i & 1) != 0, (i & 2) != 0, inShared, blocks);
            assertTrue(drawn.released().check().isClean(), () -> drawn.released() + ": " + drawn.released().check());
            List<Finding> all = drawn.check().findings();
            // A waiter may see a value of a later turn alone: not each of several stores is met.
            boolean isOne = !all.isEmpty() && all.size() <= (drawn.loop ? 1 : drawn.turns)
                    && all.stream().map(Finding::step).distinct().count() == all.size();
            if (!isOne || !all.stream().allMatch(drawn::isOfPlainStore)) {
                wrong.add(drawn + ":\n    " + drawn.check());
            }
            alsoTaken += all.stream().anyMatch(f -> !f.alsoAt().isEmpty()) ? 1 : 0;
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + 4 * DRAWN + ": " + String.join("\n", wrong));
        assertEquals(4 * DRAWN, alsoTaken);
    }

    /** Where those who leave the data do not meet the one who raises the flag, that is a mistake of its own. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"false,1", "false,2", "true,1", "true,2"})
    void aMissingMeetingIsAnotherFinding(boolean inShared, int blocks) {
        SplittableRandom random = new SplittableRandom(37 + blocks + (inShared ? 2 : 0));
        for (int i = 0; i < 2 * DRAWN; i++) {
            HandOver drawn = HandOver.draw(random, true, (i & 1) != 0, inShared, blocks).withoutMeeting();
            List<Finding> all = drawn.check().findings();
            assertTrue(all.stream().anyMatch(drawn::isOfPlainStore)
                    && all.stream().anyMatch(f -> f.purpose().equals("take")), () -> drawn + ": " + drawn.check());
        }
    }
}

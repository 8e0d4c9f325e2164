package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import java.util.List;

/**
 * Two warps hand a tile to and fro with ordinary stores: one writes it and waits until it was read, the other
 * waits until it was written. Behind them all threads meet at a third mbarrier, by tokens.
 */
final class HandshakeBlames {
    private static final int THREADS = 64;
    private static final int TURNS = 3;
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 128, 128);
    private static final SharedRegion.Barriers WRITTEN = new SharedRegion.Barriers("written", 1);
    private static final SharedRegion.Barriers READ = new SharedRegion.Barriers("read", 1);
    private static final SharedRegion.Barriers ALL = new SharedRegion.Barriers("all", 1);
    private static final Address.Barrier IS_WRITTEN = WRITTEN.at(0);
    private static final Address.Barrier IS_READ = READ.at(0);
    private static final Address.Barrier IS_ALL = ALL.at(0);

    private enum Edit {
        NOT_SAID_WRITTEN, NOT_SAID_READ, WRITER_WAITS_FIRST, SAID_BEFORE_WRITTEN, SAID_BEFORE_READ,
        READER_DOES_NOT_WAIT, READERS_OF_A_WARP_TOO_MANY, SAID_READ_AT_WRITTEN, SYNC_AMONG_WRITERS, ALL_BUT_ONE_MEET,
        NO_TOKEN_WAIT, WAITS_BEFORE_ARRIVING, READER_ENDS_EARLY
    }

    private static final Blame.Runner RUNNER = HandshakeBlames::check;

    private HandshakeBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.NOT_SAID_WRITTEN, HazardCode.WRONG_ARRIVAL_COUNT, "write", "written[0] lacks 32 of its 32",
                        "no step of the program arrives there", "threads 0-31 of block 0"),
                is(Edit.NOT_SAID_READ, HazardCode.WRONG_ARRIVAL_COUNT, "take", "read[0] lacks 32 of its 32",
                        "threads 32-63"),
                is(Edit.WRITER_WAITS_FIRST, HazardCode.WRONG_PARITY, "was read", "read[0]"),
                is(Edit.SAID_BEFORE_WRITTEN, HazardCode.MISSING_BARRIER, "is written", "before"),
                is(Edit.SAID_BEFORE_READ, HazardCode.MISSING_BARRIER, "is read", "before"),
                is(Edit.READER_DOES_NOT_WAIT, HazardCode.MISSING_BARRIER, "take"),
                is(Edit.READERS_OF_A_WARP_TOO_MANY, HazardCode.WRONG_ARRIVAL_COUNT, "readers",
                        "read[0] lacks 32 of its 64"),
                is(Edit.SAID_READ_AT_WRITTEN, HazardCode.WRONG_ARRIVAL_COUNT, "is read", "written[0]"),
                is(Edit.SYNC_AMONG_WRITERS, HazardCode.DEADLOCK, "stray"),
                is(Edit.ALL_BUT_ONE_MEET, HazardCode.WRONG_ARRIVAL_COUNT, "here", "all[0] lacks 1 of its 64",
                        "only threads 0-62"),
                is(Edit.NO_TOKEN_WAIT, HazardCode.MISSING_BARRIER, "leave", "('look', "),
                is(Edit.WAITS_BEFORE_ARRIVING, HazardCode.DEADLOCK, "here", "all[0]", "arrive before the wait"),
                is(Edit.READER_ENDS_EARLY, HazardCode.WRONG_ARRIVAL_COUNT, "is read", "read[0]", "threads 32-63"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("handshake", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 1, 1, List.of(TILE, WRITTEN, READ, ALL), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("writers").barrierInit(IS_WRITTEN, 32);
            one.purpose("readers").barrierInit(IS_READ, edit == Edit.READERS_OF_A_WARP_TOO_MANY ? 64 : 32);
            one.purpose("all threads").barrierInit(IS_ALL, THREADS);
        });
        body.purpose("set up").syncThreads();
        body.purpose("roles").when(T.lessThan(32),
                writers -> writers.purpose("turns").loop("turn", TURNS, (each, turn) -> fill(each, turn, edit)),
                readers -> readers.purpose("turns")
                        .loop("turn", edit == Edit.READER_ENDS_EARLY ? TURNS - 1 : TURNS,
                                (each, turn) -> take(each, turn, edit)));
        meet(body, edit);
    }

    private static void fill(Body body, Expr turn, Edit edit) {
        if (edit == Edit.WRITER_WAITS_FIRST) {
            body.purpose("was read").waitParity(IS_READ, turn.modulo(2));
        }
        if (edit == Edit.SAID_BEFORE_WRITTEN) {
            body.purpose("is written").arrive(IS_WRITTEN);
        }
        Fragment f = body.purpose("word").load("word", ElementType.U32, 1, from(turn.times(128).plus(T.times(4))));
        body.purpose("write").store(TILE.at(T.times(4)), f);
        if (edit == Edit.SYNC_AMONG_WRITERS) {
            body.purpose("stray").syncThreads();
        }
        if (edit != Edit.NOT_SAID_WRITTEN && edit != Edit.SAID_BEFORE_WRITTEN) {
            body.purpose("is written").arrive(IS_WRITTEN);
        }
        if (edit != Edit.WRITER_WAITS_FIRST) {
            body.purpose("was read").waitParity(IS_READ, turn.modulo(2));
        }
    }

    private static void take(Body body, Expr turn, Edit edit) {
        if (edit != Edit.READER_DOES_NOT_WAIT) {
            body.purpose("was written").waitParity(IS_WRITTEN, turn.modulo(2));
        }
        if (edit == Edit.SAID_BEFORE_READ) {
            body.purpose("is read").arrive(IS_READ);
        }
        Fragment f = body.purpose("take").load("taken", ElementType.U32, 1, TILE.at(T.minus(32).times(4)));
        if (edit != Edit.NOT_SAID_READ && edit != Edit.SAID_BEFORE_READ) {
            body.purpose("is read").arrive(edit == Edit.SAID_READ_AT_WRITTEN ? IS_WRITTEN : IS_READ);
        }
        body.purpose("show").store(to(turn.times(128).plus(T.minus(32).times(4))), f);
    }

    /** All threads leave a word, meet, and look at a neighbour's. */
    private static void meet(Body body, Edit edit) {
        if (edit == Edit.READER_ENDS_EARLY) {
            return;
        }
        Address.Global mine = new Address.Global(Blame.FLAGS, T.times(4).toS64());
        Fragment f = body.purpose("mine").load("mine", ElementType.U32, 1, from(T.times(4)));
        body.purpose("leave").store(mine, f);
        if (edit == Edit.WAITS_BEFORE_ARRIVING) {
            body.purpose("all are").waitParity(IS_ALL, 0);
        }
        if (edit == Edit.ALL_BUT_ONE_MEET) {
            body.purpose("most").when(T.lessThan(63), b -> b.purpose("here").arrive(IS_ALL));
            body.purpose("all are").waitParity(IS_ALL, 0);
        } else {
            Token token = body.purpose("here").arrive(IS_ALL).token("phase");
            if (edit != Edit.NO_TOKEN_WAIT && edit != Edit.WAITS_BEFORE_ARRIVING) {
                body.purpose("all are").waitToken(IS_ALL, token);
            }
        }
        Fragment g = body.purpose("look").load("looked", ElementType.U32, 1,
                new Address.Global(Blame.FLAGS, T.plus(1).modulo(THREADS).times(4).toS64()));
        body.purpose("show").store(to(T.times(4).plus(1024)), g);
    }
}

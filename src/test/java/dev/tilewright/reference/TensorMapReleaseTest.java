package dev.tilewright.reference;

import static dev.tilewright.program.MapKernels.LANDED;
import static dev.tilewright.program.MapKernels.RESULT;
import static dev.tilewright.program.MapKernels.WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Tensor maps that a thread writes to global memory by ordinary stores and releases, without naming them: who may use
 * which of them then. The tensor is 100 rows of 64 words, the box 8 rows of 16; the template is stored to the start of
 * the workspace, and to its second 128 bytes where a test says so.
 */
class TensorMapReleaseTest {
    private static final TiledTensorMap MATRIX =
            TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(64L, 100L), List.of(16, 8), Swizzle.NONE);
    private static final int BOX_BYTES = 16 * 8 * 4;
    private static final byte[] SOURCE = TestData.bytes(64 * 100 * 4, 1);
    private static final SharedRegion.Buffer BOX = new SharedRegion.Buffer("box", BOX_BYTES, 1024);
    private static final Parameter.TensorMap TEMPLATE = MapKernels.template(2);
    private static final Expr T = Builtin.THREAD;
    /** Who writes and releases the map, and who, of another warp, uses it. */
    private static final int WRITER = 5;
    private static final int USER = 40;

    private static TileProgram program(Consumer<Body> code) {
        return new TileProgram("released", "uses released maps", 64, List.of(TEMPLATE, WORKSPACE, RESULT),
                new SharedLayout(List.of(BOX, MapKernels.FULL)), Body.steps(body -> {
                    body.when(T.isEqualTo(0), one -> {
                        one.barrierInit(LANDED, 1);
                        one.barrierInitFence();
                    });
                    body.purpose("the barrier is there").syncThreads();
                    code.accept(body);
                    body.purpose("all may read").syncThreads();
                    body.loop("at", T.times(4), BOX_BYTES, 256, (each, at) ->
                            each.store(new Address.Global(RESULT, at.toS64()),
                                    each.load("word", ElementType.U32, 1, BOX.at(at))));
                }));
    }

    private static HazardReport check(Consumer<Body> code, byte[] result) {
        Launch launch = Launch.of(program(code), 1, Map.of(TEMPLATE, new Argument.Tensor(MATRIX, 0),
                WORKSPACE, new Argument.Buffer(1), RESULT, new Argument.Buffer(2)));
        return HazardCheck.check(launch, List.of(MemorySegment.ofArray(SOURCE), MemorySegment.ofArray(new long[32]),
                MemorySegment.ofArray(result)));
    }

    /** What a correct kernel leaves. */
    private static byte[] run(Consumer<Body> code) {
        byte[] result = new byte[BOX_BYTES];
        HazardReport report = check(code, result);
        assertTrue(report.isClean(), report::toString);
        return result;
    }

    /** The only finding, of a step with this purpose, says this. */
    private static void finds(String purpose, String sentence, Consumer<Body> code) {
        HazardReport report = check(code, new byte[BOX_BYTES]);
        assertEquals(List.of(HazardCode.MAP_CHANGE_NOT_FENCED), report.findings().stream().map(Finding::code).toList(),
                report::toString);
        assertEquals(purpose, report.findings().getFirst().purpose(), report::toString);
        assertTrue(report.toString().contains(sentence), report::toString);
    }

    /** The first of the rows, the rest zeros. */
    private static byte[] box(int rows) {
        byte[] box = new byte[BOX_BYTES];
        for (int row = 0; row < rows; row++) {
            System.arraycopy(SOURCE, row * 256, box, 64 * row, 64);
        }
        return box;
    }

    private static Address.Global map(int number) {
        return new Address.Global(WORKSPACE, 128L * number);
    }

    private static void by(Body body, int thread, Consumer<Body> code) {
        body.when(T.isEqualTo(thread), code);
    }

    private static void write(Body one, int number) {
        one.loop("at", 0, 128, 16, (each, at) -> each.store(
                new Address.Global(WORKSPACE, at.plus(128 * number).toS64()),
                each.load("piece", ElementType.U32, 4, new Address.MapBytes(TEMPLATE, at))));
    }

    /** Changes a map in place. */
    private static void setRows(Body one, int number, int rows) {
        one.purpose("change").issue(new TensormapReplace(TensormapReplace.Field.GLOBAL_DIM, 1).withSpace(Space.GLOBAL),
                Input.of(map(number)), Input.of(rows));
    }

    private static void start(Body one, int number) {
        one.purpose("announce").arriveExpectTx(LANDED, BOX_BYTES);
        one.purpose("load").tensorLoad(BOX.at(0), new MapSource.InMemory(map(number), 2), Expr.list(0, 0), LANDED);
    }

    private static void load(Body one, int number) {
        start(one, number);
        one.purpose("landed").waitParity(LANDED, 0);
    }

    @Test
    void anotherThreadUsesWhatWasReleasedAfterTheBlockHasMet() {
        assertArrayEquals(box(3), run(body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                setRows(one, 0, 3);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> {
                one.acquireMap(map(0));
                load(one, 0);
            });
        }));
    }

    @Test
    void nothingIsPublishedWithoutARelease() {
        finds("load", "no thread has released the change that would be ordered after it", body -> {
            by(body, WRITER, one -> write(one, 0));
            body.syncThreads();
            by(body, USER, one -> {
                one.purpose("acquire").acquireMap(map(0));
                load(one, 0);
            });
        });
    }

    @Test
    void releaseAndAcquireAreOrdered() {
        finds("acquire", "nothing orders that after the release in step 9 ('release'", body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.purpose("release").releaseMaps();
            });
            by(body, USER, one -> {
                one.purpose("acquire").acquireMap(map(0));
                load(one, 0);
            });
        });
        // The thread itself needs no meeting.
        assertArrayEquals(box(8), run(body -> by(body, USER, one -> {
            write(one, 0);
            one.releaseMaps();
            one.acquireMap(map(0));
            load(one, 0);
        })));
    }

    /** In one thread too. */
    @Test
    void theReleaseComesBeforeTheAcquire() {
        finds("load", "releases it, and no thread of the block has acquired the map since",
                body -> by(body, USER, one -> {
            write(one, 0);
            one.acquireMap(map(0));
            one.releaseMaps();
            load(one, 0);
        }));
    }

    @Test
    void someThreadOfTheBlockAcquiresTheMap() {
        finds("load", "releases it, and no thread of the block has acquired the map since", body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> load(one, 0));
        });
        // Another one may, if the use comes after that: the fence is needed once in a block.
        assertArrayEquals(box(8), run(body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.releaseMaps();
                one.acquireMap(map(0));
            });
            body.syncThreads();
            by(body, USER, one -> load(one, 0));
        }));
        finds("load", "acquires the map, and nothing orders the use after that", body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, WRITER, one -> one.acquireMap(map(0)));
            by(body, USER, one -> load(one, 0));
        });
    }

    /** A map that comes with the launch is acquired once in a block; nobody in the launch writes it. */
    @Test
    void aMapThatNothingInTheLaunchWritesIsAcquired() {
        HazardReport report = check(body -> by(body, USER, one -> load(one, 0)), new byte[BOX_BYTES]);
        assertEquals(HazardCode.MAP_CHANGE_NOT_FENCED, report.findings().getFirst().code(), report::toString);
        assertTrue(report.toString().contains("no thread of the block has acquired it before"), report::toString);
    }

    @Test
    void aChangeIsReleasedAnew() {
        Consumer<Body> before = body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> one.acquireMap(map(0)));
            body.syncThreads();
        };
        assertArrayEquals(box(2), run(body -> {
            before.accept(body);
            by(body, WRITER, one -> {
                setRows(one, 0, 2);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> {
                one.acquireMap(map(0));
                load(one, 0);
            });
        }));
        finds("load", "no thread has released the change that would be ordered after it", body -> {
            before.accept(body);
            by(body, WRITER, one -> setRows(one, 0, 2));
            body.syncThreads();
            by(body, USER, one -> {
                one.purpose("acquire").acquireMap(map(0));
                load(one, 0);
            });
        });
        finds("load", "no thread has released the change that would be ordered after it", body -> {
            before.accept(body);
            by(body, WRITER, one -> setRows(one, 0, 2));
            body.syncThreads();
            by(body, USER, one -> load(one, 0));
        });
        finds("load", "no thread of the block has acquired the map since", body -> {
            before.accept(body);
            by(body, WRITER, one -> {
                setRows(one, 0, 2);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> load(one, 0));
        });
    }

    /** The first use is right; the map is changed after it. */
    @Test
    void aChangeAfterTheFirstUseIsMadeKnownToo() {
        Consumer<Body> before = body -> {
            by(body, USER, one -> {
                write(one, 0);
                one.releaseMaps();
                one.acquireMap(map(0));
                load(one, 0);
            });
            body.syncThreads();
        };
        finds("load", "no thread has released the change", body -> {
            before.accept(body);
            by(body, USER, one -> {
                setRows(one, 0, 2);
                again(one);
            });
        });
        finds("load", "no thread of the block has acquired the map since", body -> {
            before.accept(body);
            by(body, USER, one -> {
                setRows(one, 0, 2);
                one.releaseMaps();
                again(one);
            });
        });
        assertArrayEquals(box(2), run(body -> {
            before.accept(body);
            by(body, USER, one -> {
                setRows(one, 0, 2);
                one.releaseMaps();
                one.acquireMap(map(0));
                again(one);
            });
        }));
    }

    private static void again(Body one) {
        start(one, 0);
        one.purpose("landed again").waitParity(LANDED, 1);
    }

    @Test
    void aMapIsNotChangedUnderCopiesThroughIt() {
        finds("change", "nothing waits until that copy is over; wait for the copies through the map before it is "
                + "changed", body ->
                by(body, USER, one -> {
                    write(one, 0);
                    one.releaseMaps();
                    one.acquireMap(map(0));
                    start(one, 0);
                    setRows(one, 0, 2);
                    one.purpose("again").releaseMaps();
                    one.waitParity(LANDED, 0);
                }));
        // A release while the map is as it was is about others.
        assertArrayEquals(box(8), run(body -> by(body, USER, one -> {
            write(one, 0);
            one.releaseMaps();
            one.acquireMap(map(0));
            start(one, 0);
            one.releaseMaps();
            one.waitParity(LANDED, 0);
        })));
    }

    @Test
    void aReleaseOfAnotherMapLeavesWhatWasAcquired() {
        byte[] both = run(body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                setRows(one, 0, 6);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> one.acquireMap(map(0)));
            body.syncThreads();
            by(body, WRITER, one -> {
                write(one, 1);
                setRows(one, 1, 4);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> load(one, 0));
        });
        assertArrayEquals(box(6), both, () -> Arrays.toString(both));
        assertArrayEquals(box(4), run(body -> {
            by(body, WRITER, one -> {
                write(one, 0);
                one.releaseMaps();
                write(one, 1);
                setRows(one, 1, 4);
                one.releaseMaps();
            });
            body.syncThreads();
            by(body, USER, one -> {
                one.acquireMap(map(1));
                load(one, 1);
            });
        }));
    }
}

package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.compile.Bindings;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.compile.TraitsOf;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Where it matters when a bulk store writes, and whether blocks may see what others do while they run. */
class TraitsOfTest {

    private static boolean rereadsStores(Consumer<Body> code) {
        return traits(code).rereadsStores();
    }

    private static boolean blocksMeet(Consumer<Body> code) {
        return traits(code).blocksMeet();
    }

    private static CompiledProgram.Traits traits(Consumer<Body> code) {
        return new TraitsOf(new Bindings(SmallKernel.of(1, code), Map.of(
                SmallKernel.IN, new Binding.Memory(MemorySegment.ofArray(new byte[64])),
                SmallKernel.OUT, new Binding.Memory(MemorySegment.ofArray(new byte[64])))))
                .program(SmallKernel.of(1, code));
    }

    private static Fragment load(Body body) {
        return body.purpose("load").load("f", ElementType.U8, 16, in(16));
    }

    @Test
    void memoryOfItsOwnMayBeWrittenEarly() {
        assertFalse(rereadsStores(body -> {
            load(body);
            body.purpose("store").bulkStore(out(0), buffer(0), 16);
        }));
        assertFalse(rereadsStores(body -> body.purpose("store")
                .issue(new BulkStore(), Input.of(0L), Input.of(buffer(0)), Input.of(16))));
    }

    @Test
    void aNumberMayBeAnyAddress() {
        assertTrue(rereadsStores(body -> {
            load(body);
            body.purpose("store").issue(new BulkStore(), Input.of(0L), Input.of(buffer(0)), Input.of(16));
        }));
    }

    @Test
    void aMapInMemoryMayBeOfAnything() {
        assertTrue(rereadsStores(body -> body.purpose("store")
                .tensorStore(new MapSource.InMemory(out(0), 1), Expr.list(0), buffer(0))));
    }

    /** The wait for the source alone is too weak: the bulk store writes over what is stored after it. */
    @Test
    void aPlainStoreToTheSamePlaceShowsAWeakWait() {
        for (boolean read : new boolean[] {true, false}) {
            byte[] result = SmallKernel.run(1, body -> {
                Fragment first = load(body);
                Fragment second = body.purpose("load again").load("g", ElementType.U8, 16, in(32));
                body.purpose("fill").store(buffer(0), first);
                body.purpose("store").bulkStore(out(0), buffer(0), 16);
                body.purpose("commit").bulkCommit();
                if (read) {
                    body.purpose("too weak").bulkWaitRead(0);
                } else {
                    body.purpose("written").bulkWait(0);
                }
                body.purpose("store over it").store(out(0), second);
            });
            assertEquals(read ? 16 : 32, result[0]);
        }
    }

    @Test
    void blocksMeetInGlobalMemoryThatIsUpdated() {
        assertTrue(blocksMeet(body -> body.issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                Input.of(out(0)), Input.of(1))));
        assertFalse(blocksMeet(body -> body.issue(Red.relaxed(Scope.CTA, Space.SHARED_CTA, AtomicOp.ADD, DataType.U32),
                Input.of(buffer(0)), Input.of(1))));
    }

    @Test
    void plainAccessesAndScopedStoresDoNotLetBlocksMeet() {
        assertFalse(blocksMeet(body -> {
            body.store(out(0), load(body));
            body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32), Input.of(out(32)), Input.of(1));
        }));
    }
}

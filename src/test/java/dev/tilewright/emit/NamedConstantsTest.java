package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Constants with names: declared once each, used by their names, and worth what the plain number is. */
class NamedConstantsTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 4);
    private static final int THREADS = 4;

    /** @param constant makes the constants */
    private static TileProgram program(BiFunction<String, Integer, Expr> constant) {
        Expr stages = constant.apply("stages", 2);
        Expr threads = constant.apply("threads", THREADS);
        Expr.Var slot = new Expr.Var("slot", IntType.S32);
        Procedure put = Procedure.of("put", "Stores a number in a slot.", List.of(slot),
                b -> put(b, slot, slot.times(stages)));
        return new TileProgram("constants", "has constants", THREADS, List.of(OUT), new SharedLayout(List.of(FULL)),
                Body.steps(body -> {
            body.when(Builtin.THREAD.isEqualTo(0), one -> one.loop("i", stages,
                    (each, i) -> each.barrierInit(FULL.at(i), threads)));
            body.syncThreads();
            body.loop("i", Builtin.THREAD, stages.times(threads), threads, (each, i) -> each.call(put, i));
            put(body, threads.times(2).plus(Builtin.THREAD), constant.apply("offset", -7).toS64().toS32());
            body.arrive(FULL.at(0));
            body.waitParity(FULL.at(stages.minus(2)), 0);
        }));
    }

    private static void put(Body body, Expr place, Expr value) {
        body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                Input.of(new Address.Global(OUT, place.times(4).toS64())), Input.of(value));
    }

    @Test
    void eachIsDeclaredOnceAndUsedByItsName() {
        String text = CudaEmitter.emit(program(Expr::named)).text();
        assertEquals("""
                constexpr int stages = 2;
                constexpr int threads = 4;
                constexpr int offset = -7;
                """, text.substring(text.indexOf("constexpr"), text.indexOf("\n\n", text.indexOf("constexpr")) + 1));
        assertEquals("""
                // Stores a number in a slot.
                __device__ __forceinline__ void put(unsigned char* out, const int slot) {
                    ptx::st_relaxed_gpu_global_b32(out + (long long)(slot * 4), slot * stages);
                }

                extern "C" __global__ void __launch_bounds__(threads)
                constants(
                        unsigned char* out) {
                    extern __shared__ __align__(16) unsigned char shared_memory[];
                    unsigned long long* const full = reinterpret_cast<unsigned long long*>(shared_memory);  // 4 \
                mbarriers

                    if ((int)threadIdx.x == 0) {
                        for (int i = 0; i < stages; ++i) {
                            ptx::mbarrier_init(ptx::shared_address(full + i), threads);
                        }
                    }
                    __syncthreads();
                    for (int i = (int)threadIdx.x; i < stages * threads; i += threads) {
                        put(out, i);
                    }
                    ptx::st_relaxed_gpu_global_b32(out + (long long)((threads * 2 + (int)threadIdx.x) * 4), (int)(long \
                long)offset);
                    ptx::mbarrier_arrive(ptx::shared_address(full));
                    ptx::mbarrier_wait_parity(ptx::shared_address(full + stages - 2), 0);
                }
                """, text.substring(text.indexOf("// Stores a number")));
    }

    @Test
    void itCompiles() {
        CudaSource source = CudaEmitter.emit(program(Expr::named));
        EmbeddedCompiler.kernels(EmbeddedCompiler.release("12.9"), source.text(), List.of(source.kernelName()),
                Target.SM_90A);
    }

    @Test
    void theBytesAreThoseOfPlainNumbers() {
        assertArrayEquals(run(program((_, value) -> Expr.of(value))), run(program(Expr::named)));
    }

    private static byte[] run(TileProgram program) {
        byte[] out = new byte[64];
        Reference.run(new Launch(program, 1, List.of(new Argument.Buffer(0))), List.of(MemorySegment.ofArray(out)));
        return out;
    }

    @Test
    void theThreadsOfABlockHaveANameWhereTheirConstantHasTheirValue() {
        String other =
                CudaEmitter.emit(new TileProgram("constants", "has constants", THREADS, List.of(OUT),
                new SharedLayout(List.of()),
                Body.steps(b -> put(b, Builtin.THREAD, Expr.named("threads", THREADS + 1).plus(Builtin.THREAD)))))
                .text();
        assertTrue(other.contains("__launch_bounds__(4)\n"), other);
        String none = CudaEmitter.emit(program((_, value) -> Expr.of(value))).text();
        assertTrue(none.contains("__launch_bounds__(4)\n"), none);
        assertFalse(none.contains("constexpr"), none);
    }
}

package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedArray;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Kernels by a builder, whose pointers and arrays know their elements. */
class ProgramBuilderTest {
    private static final int THREADS = 64;

    /** Parameters, shared memory and barriers are declared within the steps that use them. */
    private static TileProgram reversed(int cluster) {
        ProgramBuilder k = ProgramBuilder.of("reversed", THREADS)
                .cluster(cluster == 1 ? ClusterSize.NONE : ClusterSize.of(Dim3.of(cluster)));
        return k.build(body -> {
            Parameter.Pointer in = k.input("in", ValueType.I32);
            SharedArray tile = k.shared("tile", ValueType.I32, THREADS);
            SharedRegion.Barriers full = k.barriers("full", 2, 1);
            Address.Barrier spare = k.barrier("spare", THREADS);
            body.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.arriveExpectTx(full.at(1), 4 * THREADS);
                one.bulkLoad(tile.at(0), in.at(Builtin.BLOCK.times(THREADS)), 4 * THREADS, full.at(1));
            });
            body.waitParity(full.at(1), 0);
            body.waitToken(spare, body.arrive(spare).token("seen"));
            Value scale = k.scalar("scale", ElementType.I32);
            Value mine = body.load("mine", tile, Builtin.THREAD.times(-1).plus(THREADS - 1));
            body.store(k.output("out", ValueType.I32), Builtin.BLOCK.toS64().times(THREADS).plus(Builtin.THREAD),
                    mine.times(scale));
        });
    }

    @Test
    void whatIsDeclaredIsThere() {
        for (int cluster : new int[] {1, 2}) {
            TileProgram program = reversed(cluster);
            assertEquals(List.of("in", "scale", "out"), program.parameters().stream().map(Parameter::name).toList());
            assertEquals(List.of("tile", "full", "spare"),
                    program.shared().regions().stream().map(SharedRegion::name).toList());
            assertEquals("reversed", program.purpose());
            String text = CudaEmitter.emit(program).text();
            assertTrue(text.contains("in + (long long)((int)blockIdx.x * 64) * 4"), text);
            assertEquals(cluster == 2, text.contains("barrier_cluster_wait"), text);
            Launch launch = Launch.named(program, Dim3.of(2), Map.of("in", new Argument.Buffer(0),
                    "out", new Argument.Buffer(1), "scale", new Argument.Scalar(3)));
            List<MemorySegment> memory = List.of(MemorySegment.ofArray(IntStream.range(0, 2 * THREADS).toArray()),
                    MemorySegment.ofArray(new int[2 * THREADS]));
            assertEquals(List.of(), HazardCheck.check(launch, memory).findings());
            assertArrayEquals(IntStream.range(0, 2 * THREADS)
                    .map(i -> 3 * (i / THREADS * THREADS + THREADS - 1 - i % THREADS)).toArray(),
                    memory.get(1).toArray(ValueLayout.JAVA_INT));
        }
    }

    /** The fence for the copy engine and the cluster needs sm_90; a kernel for sm_80 has neither. */
    @Test
    void barriersOfAKernelForAmpereNeedNoFence() {
        ProgramBuilder k = ProgramBuilder.of("ampere", Dim3.of(8, 4)).purpose("arrives");
        TileProgram program = k.build(body -> {
            Address.Barrier all = k.barrier("all", 32);
            body.waitToken(all, body.arrive(all).token("seen")).byTesting();
        });
        assertEquals(Target.SM_80, program.minimumTarget());
        assertFalse(CudaEmitter.emit(program).text().contains("fence"));
        assertEquals(List.of(), HazardCheck.check(Launch.of(program, 1, Map.of()), List.of()).findings());
    }

    @Test
    void everyElementOfARegisterIsAnExpression() {
        ProgramBuilder k = ProgramBuilder.of("elements", 1);
        Parameter.Pointer in = k.input("in", ValueType.F32);
        Parameter.Pointer out = k.output("out", ValueType.F32);
        TileProgram program = k.build(body -> {
            Register four = body.registers("four", ValueType.F32, 4);
            body.load(four, in.at(0));
            body.update(four, x -> x.times(2));
            body.store(out, 0, four.fold(Value::plus));
            body.assignEach(four, i -> i.toValue().to(ValueType.F32).plus(four.at(i)));
            body.store(out, 1, four.fold(Value::max));
            Register one = body.variable("one", Value.f32(1));
            body.update(one, x -> x.plus(2));
            body.store(out, 2, one.get());
        });
        MemorySegment result = MemorySegment.ofArray(new float[3]);
        Reference.run(Launch.named(program, Dim3.ONE, Map.of("in", new Argument.Buffer(0), "out",
                new Argument.Buffer(1))), List.of(MemorySegment.ofArray(new float[] {1, 2, 3, 4}), result));
        assertArrayEquals(new float[] {20, 11, 3}, result.toArray(ValueLayout.JAVA_FLOAT));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Parameter.Pointer bytes = new Parameter.Pointer("bytes", true);
        assertEquals("pointer 'bytes' has no element type: make it by Pointer.reading or writing, or give a byte "
                + "offset with new Address.Global", refusal(() -> bytes.at(0)));
        Parameter.Pointer ints = Parameter.Pointer.writing("ints", ValueType.I32);
        assertEquals("an element is of type i32, got a value of type f32: convert it, with to(I32)",
                refusal(() -> Body.steps(b -> b.store(ints, 0, Value.f32(1)))));
        assertEquals("pointer 'p' must be to elements of 8 to 64 bits",
                refusal(() -> Parameter.Pointer.reading("p", ValueType.PRED)));
        assertEquals("shared buffer 'odd' of 6 bytes, aligned to 16, is no array of i32",
                refusal(() -> new SharedArray(new SharedRegion.Buffer("odd", 6, 16), ValueType.I32)));
        TileProgram program = ProgramBuilder.of("none", 32).build(b -> b.syncWarp());
        assertEquals("kernel 'none' has no parameter 'x': it has []",
                refusal(() -> Launch.named(program, Dim3.ONE, Map.of("x", new Argument.Int(1)))));
        assertEquals(3, SharedArray.of("three", ValueType.F64, 3).count());
    }

    private static String refusal(org.junit.jupiter.api.function.Executable code) {
        return assertThrows(IllegalArgumentException.class, code).getMessage();
    }
}

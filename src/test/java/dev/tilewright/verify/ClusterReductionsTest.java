package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ReduceKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Reductions into another block's shared memory, as a program of two blocks: the reference leaves what an H200 left. */
class ClusterReductionsTest {

    @TestFactory
    Stream<DynamicTest> everyRecordedOneAgrees() {
        return Recordings.read(Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings", "reduce.jsonl.gz"))
                .stream().filter(row -> row.text("form").equals("shared")).map(row -> DynamicTest.dynamicTest(
                        row.op() + " " + row.text("type"), () -> {
                            TileProgram program = ReduceKernels.withinCluster(
                                    new BulkClusterReduce(row.reduceOp(), row.constant("type", DataType.class)));
                            byte[] into = row.hex("old");
                            Reference.run(new Launch(program, 2, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                                    List.of(MemorySegment.ofArray(into), MemorySegment.ofArray(row.hex("value"))));
                            assertArrayEquals(row.hex("result"), into);
                        }));
    }
}

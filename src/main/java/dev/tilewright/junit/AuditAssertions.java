package dev.tilewright.junit;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launchable;
import dev.tilewright.tile.Signature;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.audit.Audit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;

/**
 * Audits an output that is there: rows of it are computed again on the CPU, whatever computed it, and in whatever
 * batch.
 *
 * {@snippet lang=java :
 * AuditAssertions.assertAudited(gemm, gemm.signature(Target.SM_90A), Map.of("a", HostArray.of(a, rows, 64),
 *         "b", HostArray.of(b, 64, 32)), Map.of(), "c", HostArray.of(c, rows, 32), 0, 17);
 * }
 */
public final class AuditAssertions {
    private static final int SHOWN = 5;

    private AuditAssertions() { }

    /**
     * Fails unless every byte of rows of an output is what the kernel leaves of the inputs. A row is all that has one
     * number along the output's first dimension.
     *
     * @param signature of what computed it: {@link TileKernel#signature} of its target
     * @param inputs every array that is read, by name; for an updated array, its contents before
     * @param scalars all of the kernel's, by name
     * @param name of the output
     * @param output what is in it
     * @param rows their numbers; none for all
     * @throws AssertionFailedError if a byte differs; it names the first rows that do
     * @throws dev.tilewright.BadRequestException if the signature is another kernel's, or there is no such row
     * @throws IllegalArgumentException if an array is missing, or not as the kernel needs it
     */
    public static void assertAudited(TileKernel kernel, Signature signature, Map<String, HostArray> inputs,
            Map<String, Number> scalars, String name, HostArray output, long... rows) {
        NotNull.all("kernel, signature, inputs, scalars, name, output, rows", kernel, signature, inputs, scalars, name,
                output, rows);
        NotNull.entries("inputs", inputs);
        NotNull.entries("scalars", scalars);
        Audit audit = Audit.of(kernel, signature.hash());
        Tensor tensor = audit.output(name);
        Map<String, Audit.Given> given = new HashMap<>();
        inputs.forEach((input, array) -> given.put(input, new Audit.Given(array.memory(), array.shape())));
        for (Tensor read : kernel.tensors()) {
            if (read.role() != Tensor.Role.OUT && !given.containsKey(read.name())) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "' reads '" + read.name()
                        + "', which is not among the inputs " + inputs.keySet().stream().sorted().toList());
            }
        }
        Launchable.Array array = kernel.arrays().get(kernel.tensors().indexOf(tensor));
        List<Audit.Row> wrong = audit.rows(given, scalars, tensor, new Audit.Given(output.memory(), output.shape()),
                rows).stream().filter(row -> row.difference().isPresent()).toList();
        if (!wrong.isEmpty()) {
            throw new AssertionFailedError("kernel '" + kernel.name() + "', '" + name + "': " + wrong.size()
                    + (wrong.size() == 1 ? " row differs" : " rows differ") + " from what the CPU computes: "
                    + wrong.stream().limit(SHOWN).map(row -> Audit.line(row, array.type(), output.shape()))
                            .collect(Collectors.joining("; ")));
        }
    }
}

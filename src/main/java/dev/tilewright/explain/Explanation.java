package dev.tilewright.explain;

import dev.tilewright.Counted;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.gpu.KernelResources;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A program in words: facts that it and the compiler give.
 *
 * @param kernel its name
 * @param purpose in one line
 * @param threads of a block
 * @param clusterBlocks blocks of a cluster
 * @param sharedBytes of a block
 * @param shared where what lies in it
 * @param bytesInFlight the most that a block's asynchronous copies can have on the way to shared memory: the size of
 *     all that they fill
 * @param filled the names of that
 * @param waits each wait, in the order of the steps
 * @param targets the kernel on each target
 */
public record Explanation(String kernel, String purpose, int threads, int clusterBlocks, int sharedBytes,
        List<Place> shared, int bytesInFlight, List<String> filled, List<WaitFact> waits, List<TargetFacts> targets) {

    /**
     * A region of shared memory.
     *
     * @param offset bytes from its start
     * @param mbarriers how many it has; 0 for plain bytes
     */
    public record Place(String name, int offset, int bytes, int alignment, int mbarriers) {
        private static Place of(SharedRegion region, int offset) {
            return new Place(region.name(), offset, region.bytes(), region.alignment(),
                    region instanceof SharedRegion.Barriers b ? b.count() : 0);
        }

        @Override
        public String toString() {
            return name + " " + bytes + " at " + offset + (mbarriers == 0 ? "" : " (" + mbarriers
                    + (mbarriers == 1 ? " mbarrier)" : " mbarriers)"));
        }
    }

    public Explanation {
        shared = List.copyOf(shared);
        filled = List.copyOf(filled);
        waits = List.copyOf(waits);
        targets = List.copyOf(targets);
    }

    /**
     * @param targets that have all of the program's instructions
     * @param compiler finds NVRTC, or throws {@link dev.tilewright.MissingRequirementException}: each target then says
     *     so
     */
    public static Explanation of(TileProgram program, List<Target> targets, Supplier<Nvrtc> compiler) {
        Map<String, Integer> offsets = program.shared().offsets();
        Collection<SharedRegion.Buffer> filled = new StepFacts(program).filled();
        return new Explanation(program.name(), program.purpose(), program.threads(), program.clusterBlocks(),
                program.shared().bytes(),
                program.shared().regions().stream().map(r -> Place.of(r, offsets.get(r.name()))).toList(),
                filled.stream().mapToInt(SharedRegion::bytes).sum(), filled.stream().map(SharedRegion::name).toList(),
                Waits.of(program, CudaEmitter.emit(program)), targets.stream().map(t -> TargetFacts.of(program, t,
                        target -> KernelResources.of(program, target, compiler.get()))).toList());
    }

    /** The program's steps beside its emitted source, for a page. */
    public static PicturePage.Part source(TileProgram program) {
        return new PicturePage.Steps("Steps, and their lines of CUDA C++", StepListing.of(program,
                CudaEmitter.emit(program)));
    }

    /** For people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(kernel + ": " + purpose);
        lines.add("threads   " + threads + " a block"
                + (clusterBlocks > 1 ? ", clusters of " + Counted.of(clusterBlocks, "block") : ""));
        lines.add("shared    " + Counted.of(sharedBytes, "byte") + " a block" + (shared.isEmpty() ? ""
                : " (name, bytes, offset): ")
                + shared.stream().map(Place::toString).collect(Collectors.joining(", ")));
        lines.add("in flight " + (bytesInFlight == 0 ? "no asynchronous copy fills shared memory"
                : "at most " + Counted.of(bytesInFlight, "byte")
                + " a block, the size of what asynchronous copies fill: "
                + String.join(", ", filled)));
        for (WaitFact wait : waits) {
            lines.add("wait      step " + wait.step() + ", line " + wait.line() + ", "
                    + (wait.purpose().equals(wait.form()) ? wait.form() : "'" + wait.purpose() + "' (" + wait.form()
                    + ")"));
            lines.add("          until " + wait.waitsFor());
            WaitFact.grouped(wait.by()).forEach(causes -> lines.add("          by " + causes));
            lines.add("          then " + wait.then());
        }
        for (TargetFacts target : targets) {
            lines.add(target.line(bytesInFlight));
            target.remarks().forEach(remark -> lines.add("          remark: " + remark));
        }
        return lines;
    }
}

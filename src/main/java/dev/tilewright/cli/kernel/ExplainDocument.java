package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.explain.Explanation;
import dev.tilewright.explain.TargetFacts;
import dev.tilewright.explain.WaitFact;
import dev.tilewright.gpu.KernelResources;
import dev.tilewright.tile.LoweredKernel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code explain --json} prints; see {@link Explanation}.
 *
 * @param bytesInFlight the most that a block's asynchronous copies can have on the way
 * @param filled the regions of shared memory that those fill
 */
record ExplainDocument(String kernel, String purpose, int threads, int clusterBlocks, int sharedBytes,
        List<Explanation.Place> shared, int bytesInFlight, List<String> filled, List<WaitFact> waits,
        List<OnTarget> targets, @JsonInclude(JsonInclude.Include.NON_NULL) TileKernelPart tile) {

    /**
     * What the passes chose of a tile kernel; left out of other kernels.
     *
     * @param extents that the program is made for
     * @param signature the hash @param signatureText what it is of
     */
    record TileKernelPart(String target, String schedule, Map<String, Long> extents, List<Choice> decisions,
            String signature, String signatureText) {
        /** What a pass chose, and why. */
        record Choice(String pass, String subject, String choice, String reason) { }

        static TileKernelPart of(LoweredKernel kernel) {
            return new TileKernelPart(kernel.target().toString(), kernel.schedule().toString(), kernel.extents(),
                    kernel.decisions().stream().map(d -> new Choice(d.pass().name().toLowerCase(Locale.ROOT),
                            d.subject(), d.choice(), d.reason())).toList(),
                    kernel.signature().hash(), kernel.signature().text());
        }
    }

    /**
     * The kernel on one target.
     *
     * @param registers of a thread; with what follows, up to the remarks, left out where it was not compiled
     * @param blocksPerMultiprocessor left out where the limits are not known
     * @param limits how many blocks each limit allows
     * @param reason why something is not known; left out where everything is
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OnTarget(String target, Integer registers, Integer stackBytes, Integer spillStoreBytes,
            Integer spillLoadBytes, List<String> remarks, Integer blocksPerMultiprocessor, Map<String, Integer> limits,
            String reason) {
        static OnTarget of(TargetFacts facts) {
            KernelResources compiled = facts.compiled().orElse(null);
            Map<String, Integer> limits = new LinkedHashMap<>();
            facts.blocks().forEach((limit, blocks) -> limits.put(limit.toString(), blocks));
            boolean known = compiled != null;
            return new OnTarget(facts.target(), known ? compiled.registers() : null,
                    known ? compiled.stackBytes() : null, known ? compiled.spillStoreBytes() : null,
                    known ? compiled.spillLoadBytes() : null, known ? compiled.remarks() : null,
                    facts.blocksAtOnce().orElse(null), limits, facts.reason().isEmpty() ? null : facts.reason());
        }
    }

    static ExplainDocument of(Explanation e, Optional<LoweredKernel> tile) {
        return new ExplainDocument(e.kernel(), e.purpose(), e.threads(), e.clusterBlocks(), e.sharedBytes(), e.shared(),
                e.bytesInFlight(), e.filled(), e.waits(), e.targets().stream().map(OnTarget::of).toList(),
                tile.map(TileKernelPart::of).orElse(null));
    }
}

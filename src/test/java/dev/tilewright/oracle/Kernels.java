package dev.tilewright.oracle;

import dev.tilewright.program.Body;
import dev.tilewright.program.Step;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Draws small correct kernels: parts one after the other, each of them made of random choices. */
final class Kernels {
    private static final List<Function<Plan, Part>> PARTS = List.of(ExchangePart::new, CpAsyncPart::new,
            BulkRingPart::new, StorePart::new, RolesPart::new, FlagPart::new, CounterPart::new, ModifyPart::new,
            FlagPart::new,
            LifePart::new, LanesPart::new);

    private Kernels() {
    }

    /** A kernel for each seed. */
    static Sample draw(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        while (true) {
            int cluster = random.nextInt(4) == 0 ? 2 : 1;
            int threads = List.of(1, 2, 2, 2, 2, 2, 3, 3).get(random.nextInt(8));
            if (cluster == 2) {
                threads = Math.min(2, threads);
            }
            Plan plan = new Plan(random, threads, cluster, cluster == 2 ? 2 : random.nextInt(3) == 0 ? 2 : 1);
            List<Part> parts = new ArrayList<>();
            for (int n = threads < 3 && cluster == 1 && random.nextInt(4) == 0 ? 2 : 1; n > 0; n--) {
                boolean ofCluster = cluster == 2 && random.nextInt(4) != 0;
                parts.add(ofCluster ? new ClusterPart(plan) : PARTS.get(random.nextInt(PARTS.size())).apply(plan));
            }
            if (plan.fits()) {
                return new Sample(parts + ", " + plan.threads + " threads, " + plan.blocks + " blocks", plan.threads,
                        plan.cluster, plan.blocks, plan.regions, steps(plan, parts));
            }
        }
    }

    static List<Step> steps(Plan plan, List<Part> parts) {
        return Body.steps(body -> {
            if (!plan.setUp.isEmpty()) {
                body.when(Plan.T.isEqualTo(0), one -> {
                    plan.setUp.forEach(code -> code.accept(one));
                    one.barrierInitFence();
                });
            }
            if (plan.cluster > 1) {
                boolean relaxed = plan.maybe();
                body.issue(relaxed ? new BarrierClusterArrive().withOrder(BarrierClusterArrive.Order.RELAXED)
                        : new BarrierClusterArrive());
                body.issue(new BarrierClusterWait());
            } else if (!plan.setUp.isEmpty()) {
                body.syncThreads();
            }
            parts.forEach(part -> part.write(body));
            if (plan.cluster > 1 && plan.pick(3) == 0) {
                body.clusterSync();
            }
        });
    }
}

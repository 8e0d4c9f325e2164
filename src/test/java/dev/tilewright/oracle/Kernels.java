package dev.tilewright.oracle;

import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Draws small correct kernels: parts one after the other, each of them made of random choices. */
final class Kernels {
    private static final List<Function<Plan, Part>> PARTS = List.of(ExchangePart::new, CpAsyncPart::new,
            BulkRingPart::new, StorePart::new);

    private Kernels() {
    }

    /** A kernel for each seed. */
    static Sample draw(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        while (true) {
            int cluster = 1;
            int threads = List.of(1, 2, 2, 2, 2, 2, 3, 3).get(random.nextInt(8));
            Plan plan = new Plan(random, threads, cluster, 1 + random.nextInt(2));
            List<Part> parts = new ArrayList<>();
            for (int n = threads < 3 && random.nextInt(4) == 0 ? 2 : 1; n > 0; n--) {
                parts.add(PARTS.get(random.nextInt(PARTS.size())).apply(plan));
            }
            if (plan.fits()) {
                return new Sample(parts + ", " + plan.threads + " threads, " + plan.blocks + " blocks", plan.threads,
                        plan.cluster, plan.blocks, plan.regions, steps(plan, parts));
            }
        }
    }

    private static List<Step> steps(Plan plan, List<Part> parts) {
        return Body.steps(body -> {
            if (!plan.setUp.isEmpty()) {
                body.when(Plan.T.isEqualTo(Expr.of(0)), one -> {
                    plan.setUp.forEach(code -> code.accept(one));
                    one.barrierInitFence();
                });
                body.syncThreads();
            }
            parts.forEach(part -> part.write(body));
        });
    }
}

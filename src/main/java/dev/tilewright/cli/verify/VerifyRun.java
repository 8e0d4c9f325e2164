package dev.tilewright.cli.verify;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.cli.terminal.Interruption;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.Verification;
import dev.tilewright.verify.worker.WorkerPool;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Does what a plan says, as far as nothing ends it before. */
final class VerifyRun {
    private final VerifyPlan plan;
    private final Terminal terminal;
    private final Interruption interruption;
    private final Verification verification;

    /**
     * What came of it.
     *
     * @param cases that ended
     * @param complete whether all was done that was asked for
     * @param broken what has been missing from some time on, such as a GPU that is gone
     */
    record Outcome(Verification verification, long cases, boolean complete,
            Optional<MissingRequirementException> broken) { }

    /** @param each is given every check when it ends */
    VerifyRun(VerifyPlan plan, Terminal terminal, Interruption interruption, Consumer<CheckSummary.Entry> each) {
        this.plan = plan;
        this.terminal = terminal;
        this.interruption = interruption;
        this.verification = new Verification(each, interruption::isRequested);
    }

    /** @param begin when the command began, by {@link System#nanoTime} */
    Outcome run(long begin) {
        if (plan.runsOn() == ExecutorChoice.REFERENCE && !plan.casesAlone() && plan.first()) {
            compile();
        }
        VerifyProgress progress = new VerifyProgress(terminal.progress(), plan.cases().size(), begin,
                plan.most().orElse(null));
        WorkerPool pool = new WorkerPool(plan.runsOn().toString(), plan.cases(), entry -> {
            verification.add(entry);
            progress.ended();
        }, verification.times(), interruption::isRequested);
        plan.most().ifPresent(most -> pool.until(begin + most.toNanos()));
        Optional<MissingRequirementException> broken = run(pool);
        if (!plan.casesAlone() && broken.isEmpty() && !interruption.isRequested()) {
            checkTheRest();
        }
        return new Outcome(verification, pool.ended(), broken.isEmpty() && !interruption.isRequested(), broken);
    }

    /** What was done before something is missing is reported; else that is all there is to say. */
    private Optional<MissingRequirementException> run(WorkerPool pool) {
        try {
            pool.run(plan.processes().commands(), plan.processes().groupsAtOnce(), plan.limits());
            return Optional.empty();
        } catch (MissingRequirementException e) {
            if (pool.ended() == 0) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    /** Every preset for every target, where no GPU would take its kernels. */
    private void compile() {
        Nvrtc nvrtc = Nvrtc.find(terminal.progress());
        List<Target> known = nvrtc.supportedTargets();
        verification.compile(KernelCompiler.cachingForUser(nvrtc, terminal::note), plan.presets(), plan.tiles(),
                Target.KNOWN.stream().filter(known::contains).toList());
    }

    /** What has nothing to do with random cases, and what was left out. */
    private void checkTheRest() {
        if (plan.runsOn() == ExecutorChoice.REFERENCE && plan.cases().size() > 0) {
            verification.skip(ExecutorChoice.GPU.toString(), "cases", plan.cases().size(), plan.whyNoGpu());
        }
        if (plan.recordings()) {
            verification.recordings(
                    Path.of(System.getProperty("tilewright.root", ".")).resolve("native-tests/recordings"));
        }
    }
}

package dev.tilewright.verify;

import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Checks cases that share a kernel, one after the other, on the thread that asks: many threads do so at once, for
 * groups of their own. A device runs one case at a time, so that what goes wrong there is that case's fault.
 */
public final class GroupRunner {
    private final String group;
    private final CaseDevice any;
    private final BlockingQueue<CaseDevice> idle;
    private final CaseTimes times;

    /**
     * @param group what results are counted with
     * @param devices at least one; they differ in nothing
     */
    public GroupRunner(String group, List<? extends CaseDevice> devices, CaseTimes times) {
        this.group = group;
        this.any = devices.getFirst();
        this.idle = new LinkedBlockingQueue<>(devices);
        this.times = times;
    }

    /** Checks the cases. @param cases one after the other share a kernel */
    public void run(List<? extends VerifyCase> cases, CaseListener listener) {
        SharedKernel shared = new SharedKernel();
        for (int i = 0; i < cases.size(); i++) {
            int number = i;
            VerifyCase next = cases.get(i);
            listener.begun(i);
            Exception[] error = new Exception[1];
            AutoCloseable end = i == cases.size() - 1 ? shared : () -> { };
            CheckSummary.Entry entry = Verification.result(outcome -> outcome.of(group, next), () -> {
                try (end) {
                    return shared.check(next, () -> listener.onDevice(number));
                } catch (Exception e) {
                    error[0] = e;
                    throw e;
                }
            });
            listener.ended(number, entry, error[0]);
        }
    }

    /** The kernel of some cases, loaded with the first that the device can run. */
    private final class SharedKernel implements AutoCloseable {
        private TileProgram program;
        private CaseDevice.Ready loaded;

        Verification.Conclusion check(VerifyCase next, Runnable onDevice) {
            CaseWork work = times.get(Phase.BUILD, next::work);
            Optional<String> incapable = Verification.whyIncapable(any, work.launch().program());
            if (incapable.isPresent()) {
                return new Verification.Conclusion(CheckSummary.Outcome.SKIPPED, incapable.get());
            }
            if (next instanceof PlantedCase planted) {
                withDevice(onDevice, planted::strike);
                return Verification.Conclusion.of(Optional.empty());
            }
            times.time(Phase.COMPILE, () -> load(work.launch().program()));
            try (CaseCheck check = times.get(Phase.EXPECT, () -> new CaseCheck(work))) {
                times.time(Phase.EXPECT, check::compute);
                if (!any.definesResults()) {
                    times.time(Phase.REFERENCE, check::refer);
                }
                withDevice(onDevice, check::launch);
                return Verification.Conclusion.of(times.get(Phase.COMPARE, check::complaint));
            }
        }

        private void withDevice(Runnable onDevice, Consumer<CaseDevice> work) {
            CaseDevice device = times.get(Phase.WAIT, this::device);
            try {
                onDevice.run();
                times.time(Phase.DEVICE, () -> work.accept(device));
            } finally {
                idle.add(device);
            }
        }

        private CaseDevice device() {
            try {
                return idle.take();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException("the case was interrupted");
            }
        }

        private void load(TileProgram wanted) {
            if (loaded == null || !wanted.equals(program)) {
                close();
                loaded = any.load(wanted);
                program = wanted;
                times.aKernel();
            }
        }

        @Override
        public void close() {
            if (loaded != null) {
                CaseDevice.Ready last = loaded;
                loaded = null;
                last.close();
            }
        }
    }
}

package dev.tilewright.verify.worker;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseListener;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.GroupRunner;
import dev.tilewright.verify.VerifyCase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Cases that share a kernel, in a worker. */
final class WorkerGroup implements CaseListener {
    /** What the process ends with when its device is lost. */
    private static final int LOST = 5;
    private static final long MOST_SECONDS = 10;

    private final List<WorkerMessage.Case> lines;
    private final DeviceTurns turns;
    private final Consumer<WorkerMessage> say;
    private final List<Long> numbers = new ArrayList<>();

    WorkerGroup(List<WorkerMessage.Case> lines, DeviceTurns turns, Consumer<WorkerMessage> say) {
        this.lines = lines;
        this.turns = turns;
        this.say = say;
    }

    void run(CaseKinds kinds, GroupRunner runner) {
        List<VerifyCase> cases = new ArrayList<>();
        for (WorkerMessage.Case line : lines) {
            try {
                cases.add(kinds.parse(line.line()));
                numbers.add(line.number());
            } catch (BadRequestException e) {
                say.accept(new WorkerMessage.Ended(line.number(), CheckSummary.Outcome.FAILED, e.getMessage(), 0,
                        false));
            }
        }
        runner.run(cases, this);
    }

    @Override
    public void begun(int index) {
        say.accept(new WorkerMessage.Begun(numbers.get(index)));
    }

    @Override
    public void onDevice(int index) {
        turns.took(numbers.get(index));
        say.accept(new WorkerMessage.OnDevice(numbers.get(index)));
    }

    /**
     * Where the device is lost, the case whose fault that is ends the process; others are begun again in the next one.
     */
    @Override
    public void ended(int index, CheckSummary.Entry entry, Exception error) {
        long number = numbers.get(index);
        boolean lost = error instanceof CudaException cuda && cuda.contextIsLost();
        if (lost) {
            turns.awaitBlame(number, MOST_SECONDS);
        } else {
            turns.ended(number);
        }
        say.accept(new WorkerMessage.Ended(number, entry.outcome(), entry.detail(), entry.seconds(), lost));
        if (lost) {
            Runtime.getRuntime().halt(LOST);
        }
    }
}

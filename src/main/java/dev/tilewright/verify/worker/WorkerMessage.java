package dev.tilewright.verify.worker;

import dev.tilewright.process.Message;
import dev.tilewright.verify.CheckSummary;
import java.util.List;

/** What a worker is told, and says, as {@link Message}s. */
sealed interface WorkerMessage {

    /** To the worker: a case, which shares its kernel with those told before it. */
    record Case(long number, String line) implements WorkerMessage { }

    /** To the worker: run the cases sent since the last time, which share a kernel. */
    record Run() implements WorkerMessage { }

    /** It takes cases. @param device what runs them */
    record Ready(String device) implements WorkerMessage { }

    /** It can run nothing here. @param reason in one sentence */
    record Missing(String reason) implements WorkerMessage { }

    /** A case has begun. */
    record Begun(long number) implements WorkerMessage { }

    /** A case has the device. */
    record OnDevice(long number) implements WorkerMessage { }

    /** A case has ended. @param lost whether it took the device with it: the worker ends, too */
    record Ended(long number, CheckSummary.Outcome outcome, String detail, double seconds, boolean lost)
            implements WorkerMessage { }

    /** Where its time has gone so far. @param nanoseconds of each phase @param kernels that were made ready */
    record Times(List<Long> nanoseconds, long kernels) implements WorkerMessage { }

    /** @throws IllegalArgumentException if the line is none */
    static WorkerMessage parse(String line) {
        try {
            Message said = Message.parse(line);
            return switch (said.word()) {
                case "case" -> new Case(said.number(0), said.field(1));
                case "run" -> new Run();
                case "ready" -> new Ready(said.field(0));
                case "missing" -> new Missing(said.field(0));
                case "begun" -> new Begun(said.number(0));
                case "device" -> new OnDevice(said.number(0));
                case "ended" -> new Ended(said.number(0), CheckSummary.Outcome.valueOf(said.field(1)), said.field(2),
                        Double.parseDouble(said.field(3)), said.flag(4));
                case "times" -> new Times(said.from(1).stream().map(Long::valueOf).toList(), said.number(0));
                default -> throw new IllegalArgumentException(said.word());
            };
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("it said a line that is no result: "
                    + line.substring(0, Math.min(line.length(), 200)), e);
        }
    }

    /** Its line, without the end. */
    default String text() {
        Message said = switch (this) {
            case Case m -> Message.of("case", m.number, m.line);
            case Run _ -> Message.of("run");
            case Ready m -> Message.of("ready", m.device);
            case Missing m -> Message.of("missing", m.reason);
            case Begun m -> Message.of("begun", m.number);
            case OnDevice m -> Message.of("device", m.number);
            case Ended m -> Message.of("ended", m.number, m.outcome, m.detail, m.seconds, m.lost);
            case Times m -> Message.of("times", m.kernels).with(m.nanoseconds);
        };
        return said.toString();
    }
}

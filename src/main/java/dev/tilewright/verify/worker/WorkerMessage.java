package dev.tilewright.verify.worker;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tilewright.verify.CheckSummary;
import java.util.List;

/** What a worker says, a line of JSON each. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({@JsonSubTypes.Type(value = WorkerMessage.Ready.class, name = "ready"),
    @JsonSubTypes.Type(value = WorkerMessage.Missing.class, name = "missing"),
    @JsonSubTypes.Type(value = WorkerMessage.Begun.class, name = "begun"),
    @JsonSubTypes.Type(value = WorkerMessage.OnDevice.class, name = "device"),
    @JsonSubTypes.Type(value = WorkerMessage.Ended.class, name = "ended"),
    @JsonSubTypes.Type(value = WorkerMessage.Times.class, name = "times")})
sealed interface WorkerMessage {
    ObjectMapper JSON = JsonMapper.builder().build();

    /** It takes cases. @param device what runs them */
    record Ready(String device) implements WorkerMessage {
    }

    /** It can run nothing here. @param reason in one sentence */
    record Missing(String reason) implements WorkerMessage {
    }

    /** A case has begun. */
    record Begun(long number) implements WorkerMessage {
    }

    /** A case has the device. */
    record OnDevice(long number) implements WorkerMessage {
    }

    /** A case has ended. @param lost whether it took the device with it: the worker ends, too */
    record Ended(long number, CheckSummary.Outcome outcome, String detail, double seconds, boolean lost)
            implements WorkerMessage {
    }

    /** Where its time has gone so far. @param nanoseconds of each phase @param kernels that were made ready */
    record Times(List<Long> nanoseconds, long kernels) implements WorkerMessage {
    }

    /** @throws IllegalArgumentException if the line is none */
    static WorkerMessage parse(String line) {
        try {
            WorkerMessage message = JSON.readValue(line, WorkerMessage.class);
            if (message != null) {
                return message;
            }
        } catch (JsonProcessingException e) {
            // Said below, with the line itself.
        }
        throw new IllegalArgumentException("it said a line that is no result: "
                + line.substring(0, Math.min(line.length(), 200)));
    }

    /** The line, without its end. */
    default String line() {
        try {
            return JSON.writerFor(WorkerMessage.class).writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("this message has no JSON form", e);
        }
    }
}

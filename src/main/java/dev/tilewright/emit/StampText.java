package dev.tilewright.emit;

import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The text of {@link TimeStamps}: a type and two functions, what starts and ends them, and a call after a step. */
record StampText(TimeStamps stamps, TileProgram program, NameScope file) {
    private static final String TEXT = """
            // Where a thread writes its next time stamp, and where its piece begins and ends; all 0 if it writes none.
            struct TYPE { unsigned long long first; unsigned long long at; unsigned long long last; };

            // Writes that a step has ended in this cycle of the multiprocessor. No branch: threads stay together.
            __device__ __forceinline__ void STAMP(TYPE& stamps, const int step) {
              asm volatile(
                  "{\\n\\t"
                  ".reg .pred wanted;\\n\\t"
                  ".reg .b64 word;\\n\\t"
                  "setp.ne.u64 wanted, %0, 0;\\n\\t"
                  "mov.u64 word, %%clock64;\\n\\t"
                  "shl.b64 word, word, BITS;\\n\\t"
                  "add.u64 word, word, %1;\\n\\t"
                  "@wanted st.global.u64 [%0], word;\\n\\t"
                  "}"
                  :: "l"(stamps.at), "l"(static_cast<long long>(step)) : "memory");
              stamps.at += stamps.at < stamps.last ? 8 : 0;
            }

            // Writes the time in nanoseconds: 0 words behind the start of the piece at the beginning, 1 at the end.
            __device__ __forceinline__ void STAMP_time(const TYPE& stamps, const int word) {
              asm volatile(
                  "{\\n\\t"
                  ".reg .pred wanted;\\n\\t"
                  ".reg .b64 time;\\n\\t"
                  "setp.ne.u64 wanted, %0, 0;\\n\\t"
                  "mov.u64 time, %%globaltimer;\\n\\t"
                  "@wanted st.global.u64 [%1], time;\\n\\t"
                  "}"
                  :: "l"(stamps.first), "l"(stamps.first + 8 * word) : "memory");
            }
            """;

    /** What stands before the kernel and its procedures. */
    void declare(CodeWriter out) {
        String type = file.define(TimeStamps.class, "TimeStamps");
        String stamp = file.define(StampText.class, "stamp");
        file.reserve(stamp + "_time");
        TEXT.replace("TYPE", type).replace("STAMP", stamp).replace("BITS", Integer.toString(TimeStamps.STEP_BITS))
                .lines().forEach(out::line);
        out.line("");
    }

    /** A procedure's parameter. */
    String parameter(NameScope names) {
        return file.of(TimeStamps.class) + "& " + names.define(stamps, "stamps");
    }

    /** In the kernel, before its first step. */
    void begin(CodeWriter out, NameScope names) {
        List<Integer> threads = stamps.threads();
        String number = names.reserve("stamping");
        String name = names.define(stamps, "stamps");
        String into = names.of(stamps.into());
        String piece = names.reserve("stamps_of");
        out.line("const int " + number + " = blockIdx.x < " + blocks() + " ? static_cast<int>(blockIdx.x * "
                + program.threads() + " + threadIdx.x) : -1;");
        out.line("const int " + piece + " = " + IntStream.range(0, threads.size()).mapToObj(i -> number + " == "
                + threads.get(i) + " ? " + i + " : ").collect(Collectors.joining()) + "-1;");
        out.line(file.of(TimeStamps.class) + " " + name + " = {};");
        out.block("if (" + piece + " >= 0)", () -> {
            out.line(name + ".first = reinterpret_cast<unsigned long long>(" + into + ") + " + piece + " * "
                    + stamps.words() * Long.BYTES + "ULL;");
            out.line(name + ".at = " + name + ".first + 16;");
            out.line(name + ".last = " + name + ".first + " + (stamps.words() - 1) * Long.BYTES + ";");
        });
        out.line(file.of(StampText.class) + "_time(" + name + ", 0);");
        ended(out, names, 0);
    }

    private int blocks() {
        return stamps.threads().stream().mapToInt(t -> t / program.threads() + 1).max().orElseThrow();
    }

    /** After a step. */
    void ended(CodeWriter out, NameScope names, int step) {
        out.line(file.of(StampText.class) + "(" + names.of(stamps) + ", " + step + ");");
    }

    /** In the kernel, after its last step. */
    void end(CodeWriter out, NameScope names) {
        ended(out, names, TimeStamps.END);
        out.line(file.of(StampText.class) + "_time(" + names.of(stamps) + ", 1);");
    }

    /** A call's argument. */
    String argument(NameScope names) {
        return names.of(stamps);
    }
}

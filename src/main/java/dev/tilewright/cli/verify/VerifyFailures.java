package dev.tilewright.cli.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.verify.CaseFile;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.FailureTest;
import dev.tilewright.verify.Shrink;
import dev.tilewright.verify.VerifyCase;
import dev.tilewright.verify.worker.CaseAsker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Failed cases, each shrunk and written as a test. Of the cases that share a kernel only the first is taken.
 */
public final class VerifyFailures {
    /** A broken GPU fails everywhere: these are enough to begin with. */
    private static final int MOST = 5;

    private final Path folder;
    private final CaseKinds kinds;
    private final Terminal terminal;

    /** @param kinds of all cases that may have failed @throws BadRequestException if the folder cannot be one */
    public VerifyFailures(Path folder, CaseKinds kinds, Terminal terminal) {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new BadRequestException("--failures takes a folder, and " + folder + " is a file");
        }
        TextFile.requirePlace(Files.isDirectory(folder) ? folder.resolve("FailedCaseTest.java") : folder);
        this.folder = folder;
        this.kinds = kinds;
        this.terminal = terminal;
    }

    /**
     * Puts long lines of failed cases into files, and names these in the commands that run the cases again. Where none
     * can be written the report comes first, and has the lines.
     */
    public void keepLongLines(CheckSummary summary) {
        try {
            summary.reproduceBy(entry -> entry.reproduction().isEmpty() ? ""
                    : CaseFile.command(CaseFile.write(folder, entry.name())));
        } catch (BadRequestException e) {
            terminal.note(e.getMessage());
        }
    }

    /** Writes the tests, and says which cannot be written. @param askers start a worker that is asked about cases */
    public void write(CheckSummary summary, Supplier<CaseAsker> askers) {
        List<Shrink.Failure> failures = first(summary);
        if (failures.isEmpty()) {
            return;
        }
        try (CaseAsker asker = askers.get()) {
            Shrink shrink = new Shrink(cases -> firstFailure(asker, cases));
            for (Shrink.Failure failure : failures) {
                Shrink.Result result = shrink.from(failure);
                keep(result, failure);
            }
        }
    }

    private void keep(Shrink.Result result, Shrink.Failure failure) {
        try {
            Path file = new FailureTest(folder).write(result.smallest(), failure.failed().line());
            terminal.note("a failed case, " + (result.complete() ? "as small as it gets"
                    : "smaller where it could be made so")
                    + " after " + result.tried() + " tries, is the test " + file + ": "
                    + CaseFile.write(folder, result.smallest().failed().line().toString()));
        } catch (BadRequestException e) {
            terminal.lost(e);
        }
    }

    private List<Shrink.Failure> first(CheckSummary summary) {
        List<Shrink.Failure> found = new ArrayList<>();
        for (CheckSummary.Entry entry : summary.failures()) {
            if (found.size() < MOST && !entry.reproduction().isEmpty()) {
                VerifyCase failed = kinds.parse(entry.name());
                if (found.stream().noneMatch(f -> f.failed().sharesKernelWith(failed))) {
                    found.add(new Shrink.Failure(failed, entry.detail()));
                }
            }
        }
        return found;
    }

    private static Optional<Shrink.Failure> firstFailure(CaseAsker asker, List<VerifyCase> cases) {
        return cases.stream().flatMap(next -> asker.complaint(next).map(wrong -> new Shrink.Failure(next, wrong))
                .stream()).findFirst();
    }
}

package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cache}: the compiled kernels on disk. */
@Command(name = "cache", description = "Show what the kernel cache holds (default), or empty it.")
final class CacheCommand extends JsonVerb {
    @Option(names = "--stats", description = "what it holds")
    boolean stats;

    @Option(names = "--clear", description = "remove every kernel")
    boolean clear;

    /** The document. Sizes in bytes; hits and misses of all processes since the cache was emptied. */
    private record Report(String folder, long entries, long bytes, long limit, long hits, long misses, long freed) { }

    CacheCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        if (stats && clear) {
            throw new BadRequestException("choose one of --stats and --clear");
        }
        KernelCache cache = KernelCache.ofUser(HostEnvironment.current(), terminal::note);
        cache.objection().ifPresent(terminal::note);
        long freed = 0;
        if (clear) {
            try {
                freed = cache.clear();
            } catch (IOException e) {
                throw new BadRequestException("the kernel cache cannot be emptied: " + FileProblem.reason(e), e);
            }
        }
        KernelCache.Stats now = cache.stats();
        String where = now.folder().toString();
        print(new Report(where, now.entries(), now.bytes(), now.limit(), now.allHits(), now.allMisses(), freed),
                List.of((where.isEmpty() ? "no folder" : where) + ": " + Counted.of(now.entries(), "kernel") + ", "
                        + Units.bytes(now.bytes()) + " of at most " + Units.bytes(now.limit()) + "; found "
                        + now.allHits() + " times, compiled " + now.allMisses() + " times since it was emptied"
                        + (clear ? ", " + Units.bytes(freed) + " freed" : "")));
        return ExitCode.OK;
    }
}

package dev.tilewright.doctor.machine;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where compiled kernels are kept.
 *
 * @param folder where; empty if nowhere
 * @param problem why nothing is kept or taken there; else empty
 * @param kernels how many are there
 * @param bytes what they take
 * @param limit bytes that they may take
 * @param free bytes that are free on the disk; -1 if unknown
 */
public record CacheFacts(String folder, String problem, long kernels, long bytes, long limit, long free) {
    /** A full disk still makes empty files. */
    private static final int BLOCK = 4096;

    static CacheFacts look(HostEnvironment environment) {
        KernelCache cache;
        try {
            cache = KernelCache.ofUser(environment, _ -> { });
        } catch (BadRequestException e) {
            return new CacheFacts("", e.getMessage(), 0, 0, 0, -1);
        }
        KernelCache.Stats stats = cache.stats();
        String problem = cache.objection().orElseGet(() -> writing(stats.folder()));
        return new CacheFacts(stats.folder().toString(), problem, stats.entries(), stats.bytes(), stats.limit(),
                free(stats.folder()));
    }

    /** Tried, not asked: permissions alone do not tell. @return why it cannot be written; empty if it can */
    private static String writing(Path folder) {
        try {
            TrustedFolder.create(folder);
            Path file = Files.createTempFile(folder, "doctor", ".tmp");
            try {
                Files.write(file, new byte[BLOCK]);
            } finally {
                Files.delete(file);
            }
            return "";
        } catch (IOException e) {
            return folder + " cannot be written (" + FileProblem.reason(e) + ")";
        }
    }

    private static long free(Path folder) {
        try {
            Path there = folder.toAbsolutePath();
            while (!Files.exists(there)) {
                there = there.getParent();
            }
            return Files.getFileStore(there).getUsableSpace();
        } catch (IOException e) {
            return -1;
        }
    }
}

package dev.tilewright.io;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.commons.lang3.StringUtils;

/** Turns an error of the file system into one sentence for the person who named the file. */
public final class FileProblem {

    private FileProblem() {}

    /**
     * A sentence such as "cannot read x.npy: there is no such file".
     *
     * @param verb what was tried: {@code read} or {@code write}
     */
    public static BadRequestException of(String verb, Path file, IOException problem) {
        NotNull.all("verb, file, problem", verb, file, problem);
        return new BadRequestException("cannot " + verb + " " + file + ": " + reason(problem), problem);
    }

    /** The problem alone, without the names of Java's classes: "permission denied". */
    public static String reason(IOException problem) {
        Objects.requireNonNull(problem, "problem");
        return switch (problem) {
            case NoSuchFileException e -> "there is no such file";
            case EOFException e when e.getMessage() == null -> "it ends too early";
            case AccessDeniedException e -> "permission denied";
            case FileAlreadyExistsException e -> "there is a file " + e.getFile() + " already";
            case FileSystemException e when StringUtils.isNotBlank(e.getReason()) ->
                    StringUtils.uncapitalize(e.getReason());
            default -> StringUtils.firstNonBlank(problem.getMessage(), problem.getClass().getSimpleName());
        };
    }
}

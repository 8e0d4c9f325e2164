package dev.tilewright.bench.rival;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A shell script in the place of the rivals: says for each command what a case of {@code case} prints. */
public final class FakeRival {
    /** A figure as the C++ side prints it, and the end of an answer. */
    public static final String FIGURES = """
            echo '{"name":"cuMemcpy","unit":"GB/s","median":4000,"least":3999,"most":4001,"samples":3,\
            "amount":2000,"milliseconds":[0.0005,0.0005,0.0005]}'
            echo '{"name":"bulk-8k","unit":"GB/s","median":1,"least":1,"most":1,"samples":3,"amount":2000,\
            "verified":true,"milliseconds":[0.001,0.0005,0.002]}'
            echo '{"done":"kernel"}'""";

    public static final String LIST = """
            echo '{"kernel":"bulk-8k","mechanism":"bulk","parameters":"tiles of 8 KiB","target":90}'
            echo '{"kernel":"bulk-16k","mechanism":"bulk","parameters":"tiles of 16 KiB","target":90}'
            echo '{"kernel":"vector-1","mechanism":"vector","parameters":"words","target":80}'
            echo '{"done":"list"}'""";

    private FakeRival() { }

    /** @param cases of a shell's {@code case}, such as {@code "list) echo done ;;"} */
    public static Path in(Path folder, String cases) throws IOException {
        program(folder.resolve("first_tile"), "#!/bin/bash\necho checked\n");
        return program(folder.resolve("rivals"), """
                #!/bin/bash
                echo started >>"$(dirname "$0")/starts"
                while read -r line; do
                  case $line in
                %s
                  esac
                done
                """.formatted(cases));
    }

    public static Path program(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    /** How often it was started. */
    public static int starts(Path folder) throws IOException {
        return Files.readAllLines(folder.resolve("starts")).size();
    }
}

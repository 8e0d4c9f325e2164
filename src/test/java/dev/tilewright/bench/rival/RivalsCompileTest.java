package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.gpu.host.Programs;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * The rivals compile, where there is an nvcc, and every kernel that the catalogue names is in one of the cubins. They
 * are compiled anew where the user's cache has none of these sources.
 */
@Order(6)
class RivalsCompileTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "native-tests", "rivals");
    private static final Pattern NAME = Pattern.compile("(?m)^    X\\((\\w+),");

    @Test
    void everyKernelIsThere() throws IOException {
        HostEnvironment environment = HostEnvironment.current();
        Assumptions.assumeTrue(Programs.nvcc(environment).isPresent(), "no nvcc to compile the rivals with");
        Path built = new Rivals(environment, RivalSources.in(SOURCES), false).obtain(Progress.NONE);
        List<String> cubins = new ArrayList<>();
        try (Stream<Path> files = Files.list(built)) {
            for (Path cubin : files.filter(f -> f.toString().endsWith(".cubin")).toList()) {
                cubins.add(Files.readString(cubin, StandardCharsets.ISO_8859_1));
            }
        }
        Matcher names = NAME.matcher(Files.readString(SOURCES.resolve("variants.hpp")));
        int kernels = 0;
        List<String> missing = new ArrayList<>();
        for (; names.find(); kernels++) {
            String symbol = "\0" + names.group(1) + "\0";
            if (cubins.stream().noneMatch(cubin -> cubin.contains(symbol))) {
                missing.add(names.group(1));
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(kernels > 80, "kernels found in variants.hpp: " + kernels);
    }
}

package dev.tilewright.doctor.machine;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Where files of a CUDA toolkit and of the driver lie on a machine. */
record CudaFiles(HostEnvironment environment) {
    private static final List<String> LIBRARY_FOLDERS = List.of("lib64", "lib", "targets/x86_64-linux/lib");

    /** The file of a library that this process has loaded, after links; empty if it has none of that name. */
    String loaded(String name) {
        try (Stream<String> lines = Files.lines(environment.system("proc/self/maps"))) {
            return lines.filter(l -> l.contains("/" + name)).map(l -> l.substring(l.indexOf('/'))).findFirst()
                    .orElse("");
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /** Stubs of libcuda, each file once. */
    List<String> stubs() {
        Set<String> found = new LinkedHashSet<>();
        for (Path toolkit : toolkits()) {
            for (String folder : LIBRARY_FOLDERS) {
                Path stub = toolkit.resolve(folder).resolve("stubs").resolve("libcuda.so");
                try {
                    found.add(stub.toRealPath().toString());
                } catch (IOException e) {
                    // There is none here.
                }
            }
        }
        return List.copyOf(found);
    }

    private List<Path> toolkits() {
        List<Path> all = new ArrayList<>();
        for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
            environment.variable(variable).filter(folder -> folder.startsWith("/")).map(Path::of).ifPresent(all::add);
        }
        try (Stream<Path> folders = Files.list(environment.system("usr/local"))) {
            folders.filter(f -> f.getFileName().toString().startsWith("cuda")).sorted().forEach(all::add);
        } catch (IOException e) {
            // No such folder, no toolkits in it.
        }
        return all;
    }
}

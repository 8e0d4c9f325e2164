package dev.tilewright.doctor.need;

import dev.tilewright.BadRequestException;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What was asked for, read and held against a machine. Architecture and memory are needed of one GPU at least, and of
 * as many as a number of GPUs says: {@code sm_90} with {@code 2-gpus} are two Hopper GPUs.
 */
public final class Needs {
    private static final Pattern COUNT = Pattern.compile("(\\d{1,4})-gpus?|gpu");
    private static final Pattern ARCHITECTURE = Pattern.compile("sm_\\d{2,3}[af]?");
    private static final Pattern VERSIONED = Pattern.compile("(driver|nvrtc)(?:=(\\d{1,3})(?:\\.(\\d{1,3}))?)?");
    private static final Pattern JDK = Pattern.compile("jdk=(\\d{1,3})");
    private static final String MEMORY = "memory=";
    private static final String GRAMMAR = "gpu, 2-gpus, sm_90, memory=40GiB, driver, driver=12.4 (the CUDA that it "
            + "knows), nvrtc, nvrtc=12.8, jdk=25, cache or nvcc";

    private final List<Need> needs = new ArrayList<>();
    private final List<Need.OfGpu> properties = new ArrayList<>();
    private final List<Count> counts = new ArrayList<>();

    private record Count(int least, String text) { }

    private Needs() { }

    /**
     * Reads needs.
     *
     * @throws BadRequestException if a text is none
     */
    public static Needs parse(List<String> texts) {
        Needs all = new Needs();
        texts.forEach(text -> all.add(text.strip()));
        return all;
    }

    private void add(String text) {
        Matcher count = COUNT.matcher(text);
        if (count.matches()) {
            int least = count.group(1) == null ? 1 : Integer.parseInt(count.group(1));
            if (least == 0) {
                throw new BadRequestException("--need " + text + " asks for nothing: ask for 1-gpu or more");
            }
            counts.add(new Count(least, text));
            return;
        }
        Need need = read(text);
        if (need instanceof Need.OfGpu property) {
            properties.add(property);
        } else {
            needs.add(need);
        }
    }

    private static Need read(String text) {
        Matcher versioned = VERSIONED.matcher(text);
        Matcher jdk = JDK.matcher(text);
        if (versioned.matches()) {
            NvrtcVersion least = new NvrtcVersion(number(versioned, 2), number(versioned, 3));
            return versioned.group(1).equals("driver") ? Need.driver(least, text) : Need.compiler(least, text);
        }
        if (jdk.matches()) {
            return Need.jdk(Integer.parseInt(jdk.group(1)));
        }
        if (ARCHITECTURE.matcher(text).matches()) {
            return Need.architecture(target(text));
        }
        if (text.startsWith(MEMORY)) {
            String size = text.substring(MEMORY.length());
            return Need.memory(ByteSize.parse(size).orElseThrow(() -> new BadRequestException("--need " + text
                    + " names no size: write it as memory=40GiB, in KiB, MiB, GiB or TiB")), size);
        }
        return switch (text) {
            case "cache" -> Need.cache();
            case "nvcc" -> Need.nvcc();
            default -> throw new BadRequestException("--need " + (text.isEmpty() ? "''" : text)
                    + " is nothing that can be needed: write " + GRAMMAR);
        };
    }

    private static int number(Matcher m, int group) {
        return m.group(group) == null ? 0 : Integer.parseInt(m.group(group));
    }

    private static Target target(String text) {
        try {
            return Target.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("--need " + text + ": " + e.getMessage(), e);
        }
    }

    /** What comes of them on a machine: those of GPUs first, each as it was written. */
    public List<Answer> of(HostFacts machine) {
        List<Answer> answers = new ArrayList<>();
        for (Need.OfGpu property : properties) {
            answers.add(Answer.of(property.text(), property.lack(machine)));
        }
        boolean each = answers.stream().allMatch(Answer::met);
        if (counts.isEmpty() && properties.size() > 1 && each) {
            // Each property is some GPU's; they must be one's.
            String lack = lack(1, machine);
            if (!lack.isEmpty()) {
                answers.add(Answer.of("1-gpu", lack));
            }
        }
        for (Count count : counts) {
            answers.add(Answer.of(count.text, lack(count.least, machine)));
        }
        for (Need need : needs) {
            answers.add(Answer.of(need.text(), need.lack(machine)));
        }
        return List.copyOf(answers);
    }

    /** Why a machine does not have as many GPUs with all the properties; empty if it does. */
    private String lack(int least, HostFacts machine) {
        long fit = machine.gpus().stream().filter(gpu -> properties.stream().allMatch(p -> p.has().test(gpu))).count();
        if (fit >= least) {
            return "";
        }
        if (machine.gpus().isEmpty()) {
            return Need.noGpu(machine);
        }
        if (properties.isEmpty()) {
            return "only " + fit + (fit == 1 ? " is" : " are") + " here";
        }
        return "only " + fit + " of the " + machine.gpus().size() + " here " + (fit == 1 ? "meets " : "meet ")
                + properties.stream().map(Need::text).collect(Collectors.joining(" and "));
    }
}

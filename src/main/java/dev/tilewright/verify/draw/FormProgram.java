package dev.tilewright.verify.draw;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One cluster, or block, whose threads perform several forms of instructions one after the other: see {@link FormPart}.
 */
final class FormProgram {
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Pointer MEMORY = new Parameter.Pointer("memory", true);
    /** Operands that a form may take words for. */
    private static final int WORDS = 8;
    private static final int ROLES = 256;
    private static final int MOST_FORMS = 6;
    private static final Deck DECK = new Deck(Forms.INSTRUCTIONS.size());

    private final List<FormPart> parts = new ArrayList<>();
    private final boolean cluster;
    private final int threads;

    FormProgram(List<PtxInstruction> forms, DrawnChoices choices) {
        this.cluster = forms.stream().anyMatch(Forms::isOfHopper);
        this.threads = forms.stream().anyMatch(Forms::changesRegisters) ? ROLES
                : forms.stream().anyMatch(Forms::isOfWarpgroup) ? 128 : 32 * choices.between(1, 2);
        for (PtxInstruction form : forms) {
            parts.add(new FormPart(this, parts.size(), form, choices));
        }
    }

    /** The choices of a case by which all forms come in turn. */
    static List<Integer> first(long seed, long number) {
        List<Integer> first = new ArrayList<>(List.of(MOST_FORMS - 1));
        for (int i = 0; i < MOST_FORMS; i++) {
            first.add(DECK.at(seed, number * MOST_FORMS + i));
        }
        return first;
    }

    /** One of up to six forms of any instructions that have effects. */
    static Drawn make(DrawnChoices choices) {
        int count = choices.between(1, MOST_FORMS);
        List<PtxInstruction> forms = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            forms.add(Forms.INSTRUCTIONS.get(choices.below(Forms.INSTRUCTIONS.size())));
        }
        FormProgram program = new FormProgram(forms, choices);
        var made = program.program();
        return new Drawn(forms.stream().map(PtxInstruction::opcode).collect(Collectors.joining(", ")), made,
                launch -> program.run(made, launch));
    }

    int threads() {
        return threads;
    }

    int blocks() {
        return cluster ? 2 : 1;
    }

    Expr rank() {
        return cluster ? Builtin.CLUSTER_RANK : Expr.of(0);
    }

    Expr isThread(int block, int thread) {
        return cluster ? Builtin.THREAD.isEqualTo(thread).and(rank().isEqualTo(block))
                : Builtin.THREAD.isEqualTo(thread);
    }

    void sync(Body body) {
        if (cluster) {
            body.clusterSync();
        } else {
            body.syncThreads();
        }
    }

    // ---- where things lie

    /** The bytes that a part's shared memory is filled from, in the source. */
    int filledFrom(FormPart part) {
        return parts.subList(0, part.number()).stream().mapToInt(FormPart::filledBytes).sum();
    }

    int shownAt(FormPart part) {
        return parts.subList(0, part.number()).stream().mapToInt(FormPart::shownBytes).sum();
    }

    int memoryAt(FormPart part) {
        return parts.subList(0, part.number()).stream().mapToInt(FormPart::memoryBytes).sum();
    }

    /** A thread's own word, 8 bytes of the source. */
    Address.Global word(int part, int word) {
        int first = parts.stream().mapToInt(FormPart::filledBytes).sum();
        return new Address.Global(SOURCE, Builtin.THREAD.plus((part * WORDS + word) * threads).times(8).plus(first));
    }

    Address.Global result(int first, Expr offset) {
        return new Address.Global(RESULT, offset.plus(first));
    }

    // ---- the program

    TileProgram program() {
        List<Parameter> parameters = new ArrayList<>(List.of(SOURCE, RESULT, MEMORY));
        List<SharedRegion> regions = new ArrayList<>();
        parts.forEach(p -> {
            p.map().ifPresent(parameters::add);
            regions.addAll(p.regions());
        });
        return new TileProgram("instructions", "drawn forms of instructions", threads, blocks(), parameters,
                new SharedLayout(regions), Body.steps(body -> {
            parts.forEach(p -> p.setUp(body));
            if (cluster) {
                body.purpose("barriers are known").when(Builtin.THREAD.isEqualTo(0), Body::barrierInitFence);
                body.purpose("what was written is seen by copies").proxyFence(FenceProxyAsync.Memory.ALL);
            }
            sync(body);
            parts.forEach(p -> p.perform(body));
            sync(body);
            parts.forEach(p -> p.showMemory(body));
        }));
    }

    DrawnRun run(TileProgram program, DrawnChoices choices) {
        int filled = parts.stream().mapToInt(FormPart::filledBytes).sum();
        int sourceBytes = filled + 8 * WORDS * threads * parts.size();
        byte[] source = DrawnBytes.words(choices.seed(), Math.max(1024, sourceBytes));
        byte[] memory = DrawnBytes.words(choices.seed(), parts.stream().mapToInt(FormPart::memoryBytes).sum());
        byte[] result = DrawnBytes.poison(parts.stream().mapToInt(FormPart::shownBytes).sum());
        Map<Parameter, Argument> arguments = new HashMap<>(Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), MEMORY, new Argument.Buffer(2)));
        parts.forEach(p -> p.map().ifPresent(map -> arguments.put(map, new Argument.Tensor(tensorMap(p), 2,
                memoryAt(p)))));
        return new DrawnRun(Launch.of(program, blocks(), arguments), List.of(source, result, memory));
    }

    /** Its box's, or any at all for what only brings a map near. */
    private static TensorMap tensorMap(FormPart part) {
        return part.box().map(DrawnBox::map).orElseGet(() -> TiledTensorMap.denseInnermostFirst(TensorDataType.UINT32,
                List.of(4L, 4L), List.of(4, 4), Swizzle.NONE));
    }
}

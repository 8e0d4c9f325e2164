package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Every mutant of a program: each edit of {@link MutantKind}, at each step where it makes sense. What would not be a
 * program, because a name is then used where it is not defined, is left out, as is what is the same as another.
 */
public final class Mutants {
    private final TileProgram program;
    private final List<Mutant> mutants = new ArrayList<>();
    private final Set<TileProgram> seen = new HashSet<>();

    private Mutants(TileProgram program) {
        this.program = program;
        seen.add(program);
    }

    /** All mutants, in the order of the edited steps. */
    public static List<Mutant> of(TileProgram program) {
        Mutants all = new Mutants(program);
        StepTree tree = new StepTree(program);
        for (Node node : tree.nodes()) {
            RemovalEdits.add(node, all);
            WeakeningEdits.add(node, all);
            MoveEdits.add(node, all);
            StageEdits.add(tree, node, all);
        }
        return List.copyOf(all.mutants);
    }

    /**
     * Adds a mutant, unless the edit makes no program or one that is there already.
     *
     * @param words the edit, {@code without step 17, ...}
     * @param edit finds the step in a tree of its own and changes that
     */
    void add(MutantKind kind, int step, String words, Consumer<StepTree> edit) {
        StepTree tree = new StepTree(program);
        edit.accept(tree);
        TileProgram edited;
        try {
            edited = tree.edited();
        } catch (IllegalArgumentException e) {
            // Not a program any more: a compiler finds such a mistake.
            return;
        }
        if (seen.add(edited)) {
            String name = kind + "@" + step;
            long same = mutants.stream().filter(m -> m.kind() == kind && m.step() == step).count();
            String unique = same == 0 ? name : name + "." + (same + 1);
            mutants.add(new Mutant(unique, kind, words, step, edited, tree.origins()));
        }
    }

    /** Adds a mutant in which one step does something else. */
    void replace(MutantKind kind, int step, String words, Supplier<Operation> operation) {
        Operation other;
        try {
            other = operation.get();
        } catch (IllegalArgumentException e) {
            // The operation refuses such a value, as a count of no arrivals.
            return;
        }
        add(kind, step, words, tree -> tree.node(step).operation = other);
    }
}

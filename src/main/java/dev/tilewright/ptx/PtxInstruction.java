package dev.tilewright.ptx;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.approx.Approximation;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.memory.AddressConversion;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.tensormap.TensormapInstruction;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.List;
import java.util.stream.Stream;

/**
 * One form of one PTX instruction: an opcode with all its qualifiers and immediates chosen. Everything that knows the
 * instruction (emission, the architecture gate, listings, documentation, tests) reads it from here.
 *
 * <p>A record's components are the qualifiers. What PTX has no instruction for is refused when the record is made, with
 * the rule and its section ({@link IllegalFormException}). {@link Catalogue} lists every form.
 *
 * <p>Facts (qualifiers, versions, architectures): PTX ISA 9.0, chapter "Instruction Set"; {@code ptx.form.Gates}
 * says how they were checked.
 */
public sealed interface PtxInstruction
        permits AddressConversion, Approximation, CacheInstruction, ClusterInstruction,
        CopyInstruction, FenceInstruction, MbarrierInstruction, MmaInstruction, ScopedAccess, TensormapInstruction,
        WarpInstruction {

    /** All that the record says. */
    Form form();

    /** One line for the catalogue: what the instruction does; by default the {@link #meaning}. */
    default String summary() {
        return meaning();
    }

    /** One line about all forms of the record, for overviews. */
    default String meaning() {
        return getClass().getAnnotation(About.class).summary();
    }

    /** A known disagreement of assemblers about the form, in one sentence; empty for most. */
    default String caution() {
        return "";
    }

    /** The section of the PTX ISA. */
    default String section() {
        return getClass().getAnnotation(About.class).section();
    }

    /** The opcode with every qualifier, as PTX writes it. */
    default String opcode() {
        return KnownForm.of(this).opcode();
    }

    /** Register and address operands in the order of the text. */
    default List<Operand> operands() {
        return KnownForm.of(this).form().operands();
    }

    /** The operands that take something in, in the order of the text. */
    default List<Operand> inputs() {
        return KnownForm.of(this).inputs();
    }

    /** The operands that hand something out, in the order of the text. */
    default List<Operand> results() {
        return KnownForm.of(this).results();
    }

    /** The text after the opcode, where {@code %name%} stands for the operand of that name; may hold immediates. */
    default String operandText() {
        return KnownForm.of(this).form().operandText();
    }

    /** The text after the opcode for people: operands and free immediates by their names. */
    default String listing() {
        return KnownForm.of(this).form().listing();
    }

    /** The PTX versions and targets that have this form. */
    default Gate gate() {
        return KnownForm.of(this).form().gate();
    }

    /** The instruction's effects on memory, and when they happen. */
    default Effects effects() {
        return KnownForm.of(this).form().effects();
    }

    /** The instruction's role among steps. */
    default StepRole role() {
        return getClass().getAnnotation(About.class).role();
    }

    /** The first PTX ISA version with this form on {@link #minimumTarget}. */
    default PtxVersion since() {
        return gate().since();
    }

    /** The least capable target that has this form. */
    default Target minimumTarget() {
        return gate().minimumTarget();
    }

    /**
     * How it is known what the reference makes of this form. What needs sm_100 or later has no hardware here to hold a
     * reference against: it is not run on the CPU, but for some forms whose documents leave nothing open.
     */
    default Evidence evidence() {
        return minimumTarget().compareTo(Target.SM_100) >= 0 ? Evidence.NOT_RUN : Evidence.MEASURED;
    }

    /** Whether Tilewright emits this form and does not run it on the CPU. */
    default boolean emitOnly() {
        return evidence() == Evidence.NOT_RUN;
    }

    /**
     * Which accesses a compiler may move past the instruction; the inline assembly of its wrapper says no more than
     * that.
     */
    default Reordering reordering() {
        return getClass().getAnnotation(About.class).reordering();
    }

    /** The spellings of the same operation on the same operands, the newest first; this form is among them. */
    default List<PtxInstruction> spellings() {
        return List.of(this);
    }

    /**
     * This form where a compiler and a target have it, else the newest other spelling of the same operation that they
     * have.
     *
     * @throws UnavailableFormException if they have none; the message says what this form needs
     */
    default PtxInstruction spelledFor(PtxVersion version, Target target) {
        NotNull.all("version, target", version, target);
        return Stream.concat(Stream.of(this), spellings().stream()).filter(s -> s.gate().admits(version, target))
                .findFirst()
                .orElseThrow(() -> new UnavailableFormException(this, "PTX " + version + " and " + target));
    }

    /** The name of the function that wraps this form in generated code, unique among all forms. */
    default String functionName() {
        return KnownForm.of(this).form().functionName();
    }
}

package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.MapFindings;
import dev.tilewright.hazard.report.PhaseFindings;
import dev.tilewright.hazard.report.ProductFindings;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.UnwrittenFindings;
import dev.tilewright.hazard.shadow.GlobalShadow.Piece;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** One run of a launch with shadow state: its parts, and who is handed to whom. */
public final class HazardAnalysis {

    /**
     * How a run went.
     *
     * @param bytes touched, added up
     * @param events that there were
     * @param complete whether it came to its end
     */
    public record Outcome(long bytes, long events, boolean complete) { }

    final RunState run;
    final StepFacts facts;
    final MemoryTracker memory;
    final MeetingTracker meetings;
    private final PhaseCheck phases;
    final BarrierTracker barriers;
    final CopyTracker copies;
    final MapTracker maps;
    final ProductTracker products;
    final RegisterTracker registers;
    final RaceClassifier races;
    final UnwrittenTracker unwritten;
    final HandOverCulprits handOvers;
    final EndTracker ends;
    final StopDiagnosis stops;
    private final FindingSet findings;
    /** The grid that has perhaps not ended when this one begins; null for none. */
    private PriorGrid prior;
    private boolean isPrior;
    private int blocks;
    private List<ExecutionObserver.Allocation> pieces = List.of();

    private HazardAnalysis(TileProgram program, boolean gridIsLine, FindingSet findings) {
        this.findings = findings;
        BarrierFindings ofBarriers = new BarrierFindings(findings.names());
        CopyFindings ofCopies = new CopyFindings(findings.names());
        MapFindings ofMaps = new MapFindings(findings.names());
        RaceFindings ofRaces = new RaceFindings(findings.names());
        races = new RaceClassifier(findings, ofRaces, ofMaps);
        run = new RunState(program, gridIsLine, races);
        facts = new StepFacts(program);
        Clues clues = Clues.of(program, run, facts);
        handOvers = new HandOverCulprits(clues, ofRaces);
        PhaseCulprits culprits = new PhaseCulprits(clues, findings, ofBarriers);
        Meetings together = new Meetings(program, run);
        ofRaces.meetBy(together);
        races.follow(clues, handOvers, together);
        memory = new MemoryTracker(run, races, facts);
        phases = new PhaseCheck(findings, new PhaseFindings(findings.names()));
        meetings = new MeetingTracker(run, phases);
        barriers = new BarrierTracker(run, phases, findings, ofBarriers, facts, culprits);
        copies = new CopyTracker(run, barriers, memory, findings, ofCopies);
        maps = new MapTracker(memory, findings, ofMaps);
        ProductFindings ofProducts = new ProductFindings(findings.names());
        products = new ProductTracker(run, memory, findings, ofProducts);
        registers = new RegisterTracker(run, findings, ofProducts);
        unwritten = new UnwrittenTracker(races, handOvers, findings, new UnwrittenFindings(findings.names()));
        PhaseBytesCheck phaseBytes = new PhaseBytesCheck(ofBarriers);
        ends = new EndTracker(run, copies, barriers, phaseBytes, findings, ofCopies);
        stops = new StopDiagnosis(program, run, phaseBytes, findings, ofBarriers, ofCopies, culprits);
    }

    /** A run begins that works on these pieces of global memory. */
    void starts(List<ExecutionObserver.Allocation> all) {
        pieces = all;
        memory.globalMemory(all.stream().map(p -> new Piece(p.bytes(), p.written() || isPrior)).toList());
        findings.runStarts(all);
        if (prior != null) {
            prior.precedes(all, blocks, findings);
            memory.follows(prior);
        }
    }

    /** A thread has waited until the grid before has ended. */
    void awaitsPriorGrid(CheckedThread thread) {
        if (prior != null) {
            prior.awaitedBy(thread.clock);
        }
    }

    /**
     * Runs the first blocks of a launch once, in one order of events.
     *
     * @param memory what the launch's buffer numbers stand for; it is worked on as a run of the kernel works on it
     * @param findings takes what is found
     * @param prior another launch that has perhaps not ended when this one begins; null for none
     */
    public static Outcome run(Launch launch, List<MemorySegment> memory, int blocks, ReferenceOptions options,
            FindingSet findings, PriorGrid prior) {
        HazardAnalysis analysis = new HazardAnalysis(launch.program(), launch.grid().isLine(), findings);
        analysis.prior = prior;
        analysis.blocks = launch.blocks();
        analysis.run(launch, memory, options.withFirstBlocks(blocks));
        return new Outcome(analysis.run.bytes(), analysis.run.event(), !analysis.run.isStopped());
    }

    /**
     * Runs a launch before whose end another one may begin.
     *
     * @param findings takes what is found
     * @return what it did to memory; empty where it did not come to its end
     */
    public static Optional<PriorGrid> prior(Launch launch, List<MemorySegment> memory, ReferenceOptions options,
            FindingSet findings) {
        HazardAnalysis analysis = new HazardAnalysis(launch.program(), launch.grid().isLine(), findings);
        analysis.isPrior = true;
        analysis.run(launch, memory, options);
        return analysis.run.isStopped() ? Optional.empty()
                : Optional.of(new PriorGrid(analysis.memory.globalMemory(), analysis.pieces, findings.names()));
    }

    private void run(Launch launch, List<MemorySegment> on, ReferenceOptions options) {
        try {
            Reference.run(launch, on, options, new HazardObserver(this));
        } catch (ReferenceException e) {
            stops.stopped(e);
        } catch (ReferenceStoppedException e) {
            // What was found may be why it does not end.
            if (e.reason() == ReferenceStoppedException.Reason.INTERRUPT || findings.isEmpty()) {
                throw e;
            }
            run.stop();
        } finally {
            phases.ends();
        }
    }
}

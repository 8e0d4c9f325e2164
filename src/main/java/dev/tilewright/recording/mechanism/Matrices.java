package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * {@code matrix}: {@code ldmatrix} of rows that lie where each lane's word says, {@code stmatrix} to places that all
 * differ, and {@code movmatrix}.
 */
final class Matrices extends FormMechanism<PtxInstruction> {
    private static final int ROWS = 64;
    private static final int ROW = 16;
    private static final int BYTES = ROWS * ROW;
    private static final int MOST_REGISTERS = 4;
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", BYTES, 128);

    Matrices() {
        super("matrix", forms());
    }

    private static List<PtxInstruction> forms() {
        List<PtxInstruction> forms = new ArrayList<>();
        Catalogue.forms(Ldmatrix.class).filter(f -> f.space() == Space.SHARED_CTA).forEach(forms::add);
        Catalogue.forms(Stmatrix.class).filter(f -> f.space() == Space.SHARED_CTA).forEach(forms::add);
        forms.add(new Movmatrix());
        forms.removeIf(f -> !f.gate().admits(Target.SM_90A));
        return forms;
    }

    @Override
    Experiment experiment(PtxInstruction form, TileProgram program, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] rows = new int[Warp.LANES];
        int step = 2 * random.nextInt(ROWS / 2) + 1;
        int first = random.nextInt(ROWS);
        for (int lane = 0; lane < Warp.LANES; lane++) {
            // What is stored by two lanes at once has no value.
            rows[lane] = ROW * (form instanceof Stmatrix ? (first + lane * step) % ROWS : random.nextInt(ROWS));
        }
        int out = form instanceof Stmatrix ? BYTES : 4 * Warp.LANES * MOST_REGISTERS;
        return Experiment.of(program, 1, Experiment.Content.of(Data.joined(Data.bytes(seed, BYTES), Data.words(rows))),
                Experiment.Content.fresh(out));
    }

    @Override
    TileProgram program(PtxInstruction form) {
        return new TileProgram("record_matrix", "moves matrices", Warp.LANES, List.of(Steps.IN, Steps.OUT),
                new SharedLayout(List.of(TILE)), Body.steps(body -> {
                    Steps.fetch(body, TILE, Expr.of(BYTES), 0, Warp.LANES);
                    Expr row = body.load("row", ValueType.I32, Steps.in(Steps.THREAD.times(4).plus(BYTES))).toIndex();
                    body.purpose("all is there").syncThreads();
                    switch (form) {
                        case Ldmatrix f -> {
                            Register words = body.registers("words", ValueType.U32, f.registers());
                            body.purpose("load").issue(form, Input.of(words), Input.of(TILE.at(row)));
                            show(body, words);
                        }
                        case Stmatrix f -> {
                            Register words = taken(body, f.registers());
                            body.purpose("all have theirs").syncThreads();
                            body.purpose("store").issue(form, Input.of(TILE.at(row)), Input.of(words));
                            body.purpose("all is stored").syncThreads();
                            Steps.show(body, TILE, Expr.of(BYTES), Expr.of(0), Warp.LANES);
                        }
                        default -> {
                            Register moved = body.registers("moved", ValueType.U32, 1);
                            body.purpose("move").issue(form, Input.of(moved), Input.of(taken(body, 1)));
                            show(body, moved);
                        }
                    }
                }));
    }

    private static Register taken(Body body, int count) {
        Register words = body.registers("words", ValueType.U32, count);
        for (int i = 0; i < count; i++) {
            body.load(words, i, 1, Steps.in(Steps.THREAD.plus(Warp.LANES * i).times(4)));
        }
        return words;
    }

    private static void show(Body body, Register words) {
        for (int i = 0; i < words.count(); i++) {
            body.store(Steps.out(Steps.THREAD.times(MOST_REGISTERS).plus(i).times(4)), words.at(i));
        }
    }
}

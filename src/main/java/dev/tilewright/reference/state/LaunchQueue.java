package dev.tilewright.reference.state;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridShape;
import java.util.Optional;

/**
 * The clusters of a grid that have not been started: the scheduler takes them in order, and so does a running cluster
 * that cancels one to do its work itself ({@code clusterlaunchcontrol.try_cancel}). For one CPU thread.
 */
public final class LaunchQueue {
    private final GridShape shape;
    private final int clusters;
    private int next;

    /** @param clusters how many of the grid's clusters run, from the first on */
    public LaunchQueue(GridShape shape, int clusters) {
        this.shape = shape;
        this.clusters = clusters;
    }

    public boolean isEmpty() {
        return next == clusters;
    }

    /** Clusters that wait to be started. */
    public int size() {
        return clusters - next;
    }

    /** The number of the next one, which is no longer among them. */
    public int take() {
        return next++;
    }

    /** Takes one as {@link #take} does, where there is one. @return the place of its first block */
    public Optional<Dim3> cancel() {
        return isEmpty() ? Optional.empty() : Optional.of(shape.place(take() * (int) shape.cluster().count()));
    }
}

package dev.tilewright.gpu.emulation.state;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A primary context: its streams, in use or destroyed with work left in them, and the peers that it may reach. */
public final class EmulatedContext {
    private final Device device;
    private final EmulatedStream legacy;
    private final List<EmulatedStream> streams = new ArrayList<>();
    private final Set<EmulatedContext> peers = new HashSet<>();

    public EmulatedContext(Device device) {
        this.device = device;
        this.legacy = new EmulatedStream(this, EmulatedStream.Kind.LEGACY);
        streams.add(legacy);
    }

    public Device device() {
        return device;
    }

    public long handle() {
        return device.primary();
    }

    /** The default stream. */
    public EmulatedStream legacy() {
        return legacy;
    }

    public void add(EmulatedStream stream) {
        streams.add(stream);
    }

    /** Every stream in which work may be left, the legacy one first. */
    public List<EmulatedStream> streams() {
        streams.removeIf(stream -> stream.isDestroyed() && !stream.hasWork());
        return List.copyOf(streams);
    }

    /** Contexts whose memory the kernels of this one may touch. */
    public Set<EmulatedContext> peers() {
        return peers;
    }

    public boolean reaches(EmulatedContext other) {
        return other == this || peers.contains(other);
    }
}

package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.Capture;
import dev.tilewright.gpu.emulation.state.Device;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.EmulatedGraph;
import dev.tilewright.gpu.emulation.state.EmulatedMemory;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.emulation.state.GraphNode;
import dev.tilewright.gpu.emulation.state.Handles;
import dev.tilewright.gpu.emulation.state.LoadablePrograms;
import dev.tilewright.gpu.emulation.state.Memory;
import dev.tilewright.gpu.emulation.state.PageLockedMemory;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Resource;
import dev.tilewright.gpu.emulation.state.Results;
import dev.tilewright.gpu.emulation.state.Scheduler;
import dev.tilewright.gpu.emulation.state.Task;
import dev.tilewright.gpu.emulation.state.Work;
import dev.tilewright.reference.ReferenceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The state of an emulated driver. One lock guards all of it: a thread that waits for work does that work, so none ever
 * waits for another thread to do something.
 */
final class Machine {
    /** Fair, so that threads which ask again and again let others in. */
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Handles handles = new Handles();
    private final EmulatedMemory deviceMemory = new EmulatedMemory();
    private final PageLockedMemory hostMemory = new PageLockedMemory();
    private final LoadablePrograms programs = new LoadablePrograms();
    private final Scheduler scheduler;
    private final ReferenceOptions options;
    private final List<Device> devices;
    private final ThreadLocal<Device> current = new ThreadLocal<>();
    private final List<Capture> captures = new ArrayList<>();
    private final List<String> leftOpen = new ArrayList<>();
    private long captureIds;
    private boolean initialized;

    Machine(List<DeviceModel> models, ExecutionOrder order, ReferenceOptions options) {
        this.scheduler = new Scheduler(order);
        this.options = options;
        this.devices = IntStream.range(0, models.size()).mapToObj(i -> new Device(i, models.get(i), handles)).toList();
    }

    /**
     * Does something while no other thread is in the driver.
     *
     * @throws Refusal where the caller is interrupted and another thread stays in it for a while all the same
     */
    <T> T locked(Supplier<T> body) {
        lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    private void lock() {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            boolean entered = false;
            try {
                entered = lock.tryLock(KernelThread.GRACE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException again) {
                // It is not waited for any longer.
            } finally {
                Thread.currentThread().interrupt();
            }
            Refusal.unless(entered, Results.TIMEOUT);
        }
    }

    Handles handles() {
        return handles;
    }

    EmulatedMemory deviceMemory() {
        return deviceMemory;
    }

    PageLockedMemory hostMemory() {
        return hostMemory;
    }

    LoadablePrograms programs() {
        return programs;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    ReferenceOptions options() {
        return options;
    }

    List<Device> devices() {
        return devices;
    }

    Device device(int ordinal) {
        Refusal.unless(ordinal >= 0 && ordinal < devices.size(), Results.INVALID_DEVICE);
        return devices.get(ordinal);
    }

    boolean isInitialized() {
        return initialized;
    }

    void initialize() {
        initialized = true;
    }

    /** The device whose primary context is the calling thread's; null for none. */
    Device current() {
        return current.get();
    }

    void current(Device device) {
        if (device == null) {
            current.remove();
        } else {
            current.set(device);
        }
    }

    /** Memory, of the host too, that holds an address or ends there; null for none. */
    Memory around(long address) {
        Memory device = deviceMemory.around(address);
        return device == null ? hostMemory.holding(address) : device;
    }

    /** The memory that an address which may lie outside of all is told from; null if there is none at all. */
    Memory nearest(long address) {
        Memory around = around(address);
        return around == null ? deviceMemory.nearest(address) : around;
    }

    /** A stream's number, or that of the default stream. */
    EmulatedStream stream(long handle, EmulatedContext context) {
        if (handle == 0 || handle == 1) {
            return context.legacy();
        }
        return handles.get(handle, EmulatedStream.class);
    }

    /** Waits for all that a context has been given. */
    void finish(EmulatedContext context) {
        context.streams().forEach(stream -> scheduler.finish(stream.tail()));
    }

    /**
     * Puts a task into a stream, or into the graph that its capture collects.
     *
     * @return the work; null in a capture
     */
    Work submit(EmulatedStream stream, Task task) {
        requireNoImplicitCapture(stream);
        if (stream.capture() == null) {
            return scheduler.add(stream, task, List.of());
        }
        Capture capture = activeCapture(stream);
        GraphNode node = capture.graph().add(handles, task, stream.frontier());
        stream.frontier().clear();
        stream.frontier().add(node);
        return null;
    }

    /** The capture of a stream; refuses one that is spoilt. */
    Capture activeCapture(EmulatedStream stream) {
        Capture capture = stream.capture();
        Refusal.unless(!capture.isInvalid(), Results.STREAM_CAPTURE_INVALIDATED);
        return capture;
    }

    /** Refuses the default stream, and spoils the capture, while an ordinary stream of its context is captured. */
    void requireNoImplicitCapture(EmulatedStream stream) {
        if (stream.isLegacy()) {
            stream.context().streams().stream().filter(s -> s.isBlocking() && s.capture() != null).findFirst()
                    .ifPresent(s -> spoil(s.capture(), Results.STREAM_CAPTURE_IMPLICIT));
        }
    }

    /** Refuses what goes through no stream, and spoils the capture, where one is under way that forbids it. */
    void requireNoCapture() {
        captures.stream().filter(capture -> !capture.isInvalid() && capture.forbidsUnsafeCalls()).findFirst()
                .ifPresent(capture -> spoil(capture, Results.STREAM_CAPTURE_UNSUPPORTED));
    }

    /** Refuses a wait for a stream that is captured, which would never end. */
    void requireNotCaptured(EmulatedStream stream) {
        requireNoImplicitCapture(stream);
        if (stream.capture() != null) {
            spoil(stream.capture(), Results.STREAM_CAPTURE_UNSUPPORTED);
        }
    }

    /** Spoils a capture and refuses the call. */
    void spoil(Capture capture, int result) {
        capture.invalidate();
        throw new Refusal(result);
    }

    Capture beginCapture(EmulatedStream stream, int mode) {
        Capture capture = new Capture(++captureIds, mode, stream, handles);
        captures.add(capture);
        return capture;
    }

    void endCapture(Capture capture) {
        capture.end();
        captures.remove(capture);
        if (capture.isInvalid()) {
            forget(capture.graph(), capture.graphHandle());
        }
    }

    /** Whether a capture still adds to a graph. */
    boolean isCollecting(EmulatedGraph graph) {
        return captures.stream().anyMatch(capture -> capture.graph() == graph);
    }

    /** Lets go of a graph and the handles of its nodes. */
    void forget(EmulatedGraph graph, long handle) {
        graph.nodes().forEach(node -> handles.remove(node.handle()));
        handles.remove(handle);
    }

    /** Ends a context: waits for its work, and frees what it still has. */
    void destroy(EmulatedContext context) {
        finish(context);
        captures.stream().filter(capture -> capture.origin().context() == context).toList().forEach(capture -> {
            capture.invalidate();
            endCapture(capture);
        });
        if (context.device().fault() == null) {
            open(context).map(what -> what + ", when the context was destroyed").forEach(leftOpen::add);
        }
        deviceMemory.of(context).forEach(deviceMemory::free);
        hostMemory.of(context).forEach(hostMemory::free);
        handles.removeAll(context);
        programs.forgetLatest();
        devices.stream().map(Device::context).filter(other -> other != null)
                .forEach(other -> other.peers().remove(context));
        context.device().context(null);
    }

    /** Everything that is open. */
    List<String> leaks() {
        List<String> leaks = new ArrayList<>(leftOpen);
        for (Device device : devices) {
            if (device.context() != null) {
                leaks.add("primary context of device " + device.ordinal() + ", retained " + device.retained()
                        + " times");
                if (device.fault() == null) {
                    open(device.context()).forEach(leaks::add);
                }
            }
        }
        return leaks;
    }

    private Stream<String> open(EmulatedContext context) {
        return Stream.of(deviceMemory.of(context).stream().filter(allocation -> !allocation.isFreeing()),
                hostMemory.of(context).stream(), handles.of(context)).flatMap(s -> s).map(Resource::title);
    }
}

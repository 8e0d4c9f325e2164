package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A driver around another in which one call of a name pauses before the driver behind gets it (its thread has looked at
 * all that it looks at before the call) or when that has answered. Notes all calls in their order, and which of them
 * were refused. Safe for use by several threads.
 */
final class PausingDriver implements InvocationHandler {
    private static final long SECONDS = 180;

    private final DriverApi behind;
    private final DriverApi api;
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private volatile boolean noting;
    private String pausing;
    private boolean whenAnswered;
    private CountDownLatch paused;
    private CountDownLatch goOn;

    PausingDriver(DriverApi behind) {
        this.behind = behind;
        this.api = (DriverApi) Proxy.newProxyInstance(PausingDriver.class.getClassLoader(),
                new Class<?>[] {DriverApi.class}, this);
    }

    /** What code under test calls. */
    DriverApi api() {
        return api;
    }

    /** The next call of this function pauses; calls are noted from here on. */
    synchronized void pauseNext(String name) {
        calls.clear();
        noting = true;
        pausing = name;
        whenAnswered = false;
        paused = new CountDownLatch(1);
        goOn = new CountDownLatch(1);
    }

    /** Nothing pauses, and only refusals are noted. */
    void noteRefusals() {
        noting = false;
        refused.clear();
    }

    /** The next call of this function pauses when the driver behind has answered; calls are noted from here on. */
    synchronized void pauseNextWhenAnswered(String name) {
        pauseNext(name);
        whenAnswered = true;
    }

    /** Waits until it pauses. */
    void awaitPause() {
        await(paused);
    }

    /** Lets it go on. */
    void goOn() {
        goOn.countDown();
    }

    /** The names of the calls since, as the driver behind got them. */
    List<String> calls() {
        return calls;
    }

    /** The calls that gave neither success nor "not ready", with the CUresult. */
    List<String> refused() {
        return refused;
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing has happened for " + SECONDS + " s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void pause() {
        paused.countDown();
        await(goOn);
    }

    private synchronized boolean isToPause(String name) {
        boolean now = name.equals(pausing);
        pausing = now ? null : pausing;
        return now;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return switch (name) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "a pausing driver";
            };
        }
        boolean pauses = isToPause(name);
        if (pauses && !whenAnswered) {
            pause();
        }
        if (noting) {
            calls.add(name);
        }
        try {
            Object result = method.invoke(behind, arguments);
            if (pauses && whenAnswered) {
                pause();
            }
            // Whether an address is known is asked: that it is not is an answer.
            boolean asks = name.startsWith("cuGetError") || name.equals("cuPointerGetAttribute");
            if (!asks && result instanceof Integer code && code != DriverApi.SUCCESS && code != DriverApi.NOT_READY) {
                refused.add(name + ": " + result);
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}

package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A driver around another that fails where a test wants it to: the n-th call, or every call of a name. A call that
 * fails does not reach the driver behind. Safe for use by several threads.
 */
final class FailingDriver implements InvocationHandler {
    /** They only put a failure into words. */
    private static final Set<String> NOT_COUNTED = Set.of("cuGetErrorName", "cuGetErrorString", "loss");

    private final DriverApi behind;
    private final DriverApi api;
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final AtomicReference<String> failingOnce = new AtomicReference<>("");
    private volatile boolean hidesLosses;
    private volatile int failing;
    private volatile String failingName = "";
    private volatile int result;
    private volatile String answeringName = "";
    private volatile int answer;
    private volatile Runnable before = () -> { };
    private volatile String struck;

    FailingDriver(DriverApi behind) {
        this.behind = behind;
        this.api = (DriverApi) Proxy.newProxyInstance(FailingDriver.class.getClassLoader(),
                new Class<?>[] {DriverApi.class}, this);
    }

    /** What code under test calls. */
    DriverApi api() {
        return api;
    }

    /** The n-th call from the first on gives this CUresult. */
    FailingDriver failCall(int number, int cuResult) {
        failing = number;
        result = cuResult;
        return this;
    }

    /** Says no more than an error of what a device did not survive, as CUDA's own driver. */
    FailingDriver hideLosses() {
        hidesLosses = true;
        return this;
    }

    /** Every call of this function gives this CUresult; 0 ends that. */
    FailingDriver failEvery(String name, int cuResult) {
        failingName = cuResult == 0 ? "" : name;
        result = cuResult;
        return this;
    }

    /** The next call of this function gives this CUresult, and no other does. */
    FailingDriver failNext(String name, int cuResult) {
        result = cuResult;
        failingOnce.set(name);
        return this;
    }

    /** Every call of this function succeeds and answers with this number, 32 bits in its first argument. */
    FailingDriver answerEvery(String name, int number) {
        answeringName = name;
        answer = number;
        return this;
    }

    /** Before the n-th call something happens; the call goes on to the driver behind. */
    FailingDriver beforeCall(int number, Runnable event) {
        failing = number;
        result = 0;
        before = event;
        return this;
    }

    /** How many calls there were. */
    int calls() {
        return calls.get();
    }

    /** The name of the call that was to fail, once it has been made. */
    Optional<String> struck() {
        return Optional.ofNullable(struck);
    }

    /** The names of all calls that gave another result than success, of whatever cause. */
    List<String> failures() {
        return failures;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return switch (name) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "a failing driver";
            };
        }
        if (hidesLosses && name.equals("loss")) {
            return Optional.empty();
        }
        if (!NOT_COUNTED.contains(name)) {
            boolean now = calls.incrementAndGet() == failing;
            if (now) {
                struck = name;
                before.run();
            }
            if (result != 0 && (now || name.equals(failingName) || failingOnce.compareAndSet(name, ""))) {
                failures.add(name);
                return result;
            }
        }
        if (name.equals(answeringName)) {
            ((MemorySegment) arguments[0]).set(ValueLayout.JAVA_INT, 0, answer);
            return DriverApi.SUCCESS;
        }
        try {
            Object given = method.invoke(behind, arguments);
            if (!NOT_COUNTED.contains(name) && given instanceof Integer code
                    && code != 0 && code != DriverApi.NOT_READY) {
                failures.add(name);
            }
            return given;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}

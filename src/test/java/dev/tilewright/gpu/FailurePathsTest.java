package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every driver call of the runtime fails once: in each scenario one call after the other, as out of memory, as an
 * invalid value, and as a GPU that is lost from that call on. An ordinary run fails one call in three, beginning at any
 * of the first three; one with {@code -Dtilewright.thorough=true} all of them. Each time the failure comes out with the
 * call's name, nothing hangs, and in the end everything has been given back that the driver took back.
 */
@Order(14)
class FailurePathsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MEMORY = 1 << 22;
    /** From one call that fails to the next. */
    private static final int APART = Thorough.of(3, 1);
    /**
     * Calls whose failure may pass: questions that are answered by it, what copies between GPUs do without, and giving
     * a thread back the context that it had, which may be destroyed.
     */
    private static final Set<String> MAY_PASS = Set.of("cuPointerGetAttribute", "cuDeviceCanAccessPeer",
            "cuCtxEnablePeerAccess", "cuCtxGetCurrent", "cuCtxSetCurrent");
    /** If this is refused the context stays taken. All else is offered to the driver again when the GPU is closed. */
    private static final String LAST = "cuDevicePrimaryCtxRelease";

    private enum Fault {
        OUT_OF_MEMORY, INVALID_VALUE, LOST
    }

    @ParameterizedTest
    @EnumSource(GpuScenario.class)
    void withoutAFailureAllIsGivenBack(GpuScenario scenario) {
        EmulatedCuda cuda = cuda();
        FailingDriver driver = new FailingDriver(cuda);
        assertTimeoutPreemptively(PATIENCE, () -> scenario.run(Gpu.options().choose(driver.api(), cuda)));
        assertEquals(List.of(), cuda.leaks());
        assertTrue(driver.calls() > 10);
    }

    @ParameterizedTest
    @EnumSource(GpuScenario.class)
    void everyCallRunsOutOfMemory(GpuScenario scenario) {
        failEach(scenario, Fault.OUT_OF_MEMORY);
    }

    @ParameterizedTest
    @EnumSource(GpuScenario.class)
    void everyCallIsRefused(GpuScenario scenario) {
        failEach(scenario, Fault.INVALID_VALUE);
    }

    @ParameterizedTest
    @EnumSource(GpuScenario.class)
    void theGpuIsLostAtEveryCall(GpuScenario scenario) {
        failEach(scenario, Fault.LOST);
    }

    private static EmulatedCuda cuda() {
        return new EmulatedCuda(ExecutionOrder.LAZY, DeviceModel.hopper(MEMORY), DeviceModel.hopper(MEMORY));
    }

    /** Until a run is over before the call that is to fail. */
    private static void failEach(GpuScenario scenario, Fault fault) {
        StringBuilder wrong = new StringBuilder();
        int number = 1 + ThreadLocalRandom.current().nextInt(APART);
        while (failOnce(scenario, fault, number, wrong)) {
            number += APART;
        }
        assertTrue(number > 10, "the scenario made hardly a call");
        if (!wrong.isEmpty()) {
            fail(scenario + ", " + fault + ":\n" + wrong);
        }
    }

    private static boolean failOnce(GpuScenario scenario, Fault fault, int number, StringBuilder wrong) {
        EmulatedCuda cuda = cuda();
        FailingDriver driver = new FailingDriver(cuda);
        switch (fault) {
            case OUT_OF_MEMORY -> driver.failCall(number, 2);
            case INVALID_VALUE -> driver.failCall(number, 1);
            case LOST -> driver.beforeCall(number, () -> cuda.lose(0, 719, "lost by the test"));
        }
        Throwable thrown = null;
        try {
            assertTimeoutPreemptively(PATIENCE, () -> scenario.run(Gpu.options().choose(driver.api(), cuda)));
        } catch (Throwable t) {
            thrown = t;
        }
        if (driver.struck().isEmpty()) {
            return false;
        }
        String place = "call " + number + ", " + driver.struck().get() + ": ";
        String complaint = fault == Fault.LOST ? judgeLost(driver, thrown) : judge(driver, thrown);
        if (complaint.isEmpty()) {
            complaint = judgeLeaks(fault, driver, cuda);
        }
        if (!complaint.isEmpty()) {
            wrong.append(place).append(complaint).append('\n');
        }
        return true;
    }

    private static String judge(FailingDriver driver, Throwable thrown) {
        String name = driver.struck().orElseThrow();
        if (thrown == null) {
            return MAY_PASS.contains(name) ? "" : "nothing was thrown";
        }
        if (!(thrown instanceof CudaException || thrown instanceof MissingRequirementException)) {
            return trace(thrown);
        }
        return thrown.getMessage().contains(name) ? "" : "the message does not name it: " + thrown.getMessage();
    }

    private static String judgeLost(FailingDriver driver, Throwable thrown) {
        List<String> failures = driver.failures().stream().filter(name -> !MAY_PASS.contains(name)).toList();
        if (thrown == null) {
            return failures.isEmpty() ? "" : "nothing was thrown, and these failed: " + failures;
        }
        if (!(thrown instanceof CudaException cuda && cuda.contextIsLost())) {
            return trace(thrown);
        }
        return "";
    }

    private static String judgeLeaks(Fault fault, FailingDriver driver, EmulatedCuda cuda) {
        boolean contextStays = fault != Fault.LOST && driver.struck().orElseThrow().equals(LAST);
        List<String> leaks = cuda.leaks();
        return leaks.size() <= (contextStays ? 1 : 0) ? "" : "left open: " + leaks;
    }

    private static String trace(Throwable thrown) {
        StringBuilder text = new StringBuilder("threw " + thrown);
        for (int i = 0; i < Math.min(12, thrown.getStackTrace().length); i++) {
            text.append("\n      ").append(thrown.getStackTrace()[i]);
        }
        return text.toString();
    }
}

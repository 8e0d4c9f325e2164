package dev.tilewright.spark.compile;

import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEnv;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Where executors ask for kernels: each is compiled once, however many ask. What goes to and fro is of Java's and
 * Spark's own classes alone, as executors read it before they have the application's.
 */
final class KernelEndpoint implements RpcEndpoint {
    static final String NAME = "tilewright-kernels";
    private static final int OPTIONS = 3;

    private final JavaSparkContext context;
    private final KernelCompiler compiler;
    private final AtomicInteger asked = new AtomicInteger();
    private final Map<List<String>, FutureTask<Object[]>> made = new ConcurrentHashMap<>();

    KernelEndpoint(JavaSparkContext context, KernelCompiler compiler) {
        this.context = context;
        this.compiler = compiler;
    }

    @Override
    public RpcEnv rpcEnv() {
        return context.env().rpcEnv();
    }

    DriverCompiler compiler() {
        return new DriverCompiler(compiler.nvrtc().version(), compiler.nvrtc().identity());
    }

    /** How many kernels were asked for, each counted once. */
    int kernels() {
        return made.size();
    }

    int asked() {
        return asked.get();
    }

    @Override
    public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext call) {
        return new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(Object message) {
                return message instanceof String[];
            }

            @Override
            @SuppressWarnings("unchecked") // a unit is what it gives
            public <A, B> B applyOrElse(A message, Function1<A, B> otherwise) {
                if (!isDefinedAt(message)) {
                    return otherwise.apply(message);
                }
                // Spark's own threads, of which there are few, do not wait for compilers.
                Thread.ofPlatform().daemon().name(NAME).start(() -> answer(List.of((String[]) message), call));
                return (B) BoxedUnit.UNIT;
            }
        };
    }

    private void answer(List<String> request, RpcCallContext call) {
        asked.incrementAndGet();
        FutureTask<Object[]> task = made.computeIfAbsent(request, _ -> new FutureTask<>(() -> compiled(request)));
        task.run();
        try {
            call.reply(task.get());
        } catch (Throwable e) {
            // Any error is sent back: an executor without a reply waits for minutes.
            call.sendFailure(new IllegalStateException(String.valueOf(e.getCause() == null ? e : e.getCause()
                    .getMessage())));
        }
    }

    private Object[] compiled(List<String> request) {
        Compilation compilation = compiler.compilation(request.get(2), request.get(0), Target.parse(request.get(1)),
                request.subList(OPTIONS, request.size()));
        return new Object[] {context.broadcast(compilation.cubin()),
                compilation.remarks().toArray(String[]::new)};
    }
}

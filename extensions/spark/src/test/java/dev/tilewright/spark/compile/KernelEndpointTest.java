package dev.tilewright.spark.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.spark.LocalSpark;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.junit.jupiter.api.Test;

/** An executor that asks for a kernel is answered, whatever becomes of it. */
class KernelEndpointTest {
    private static final String SOURCE = "extern \"C\" __global__ void k(int *p) { *p = 9; }";

    /** @param refuses whether a reply cannot be written, as where a class of Spark's is missing */
    private record Call(CompletableFuture<Object> answer, boolean refuses) implements RpcCallContext {
        @Override
        public void reply(Object response) {
            if (refuses) {
                throw new NoClassDefFoundError("of/a/Reply");
            }
            answer.complete(response);
        }

        @Override
        public void sendFailure(Throwable e) {
            answer.complete(e.getMessage());
        }

        @Override
        public RpcAddress senderAddress() {
            return null;
        }
    }

    private static Object asked(boolean refuses, String source) throws Exception {
        KernelEndpoint endpoint = new KernelEndpoint(JavaSparkContext.fromSparkContext(LocalSpark.session("cpu")
                .sparkContext()), KernelCompiler.cachingForUser(Progress.NONE, _ -> { }));
        Call call = new Call(new CompletableFuture<>(), refuses);
        endpoint.receiveAndReply(call).apply(new String[] {"k", "sm_90a", source});
        return call.answer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void whateverBecomesOfIt() throws Exception {
        assertEquals(2, ((Object[]) asked(false, SOURCE)).length);
        assertEquals("java.lang.NoClassDefFoundError: of/a/Reply", asked(true, SOURCE));
        assertEquals(true, asked(false, "nonsense").toString().contains("nonsense"));
    }
}

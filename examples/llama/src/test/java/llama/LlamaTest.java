package llama;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the command says of requests that cannot be done: one sentence. */
class LlamaTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--prompt 1,,2|a prompt is numbers of tokens, such as 1,2,3, and not 1,,2",
        "--prompt 1,2,|a prompt is numbers of tokens, such as 1,2,3, and not 1,2,",
        "--prompt 1 --prompt 320|token 320 is not among 0 to 319",
        "--prompt 1 --count 0|a request has at least 1 token and makes at least 1, got 1 and 0",
        "--prompt 1 --pages 0|a cache has 1 to 33554431 pages, got 0",
        "--prompt 1 --temperature NaN|a temperature is 0 or more, got NaN",
        "--prompt 1 --model 7b|there is no preset 7b: tiny or 1b"})
    void aRequestThatCannotBeDoneIsRefused(String line, String message) {
        StringWriter errors = new StringWriter();
        CommandLine command = Llama.command().setErr(new PrintWriter(errors, true));
        assertEquals(2, command.execute(("--cpu " + line).split(" ")));
        assertEquals("llama: " + message + "\n", errors.toString());
    }
}

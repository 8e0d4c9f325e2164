package llama;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Continues prompts in batches whose members come and go: a step feeds each running request its newest token, or the
 * next chunk of its prompt, and lets waiting ones in where there is room.
 */
final class Engine {
    private final Model model;
    private final Model.Limits limits;
    private final int chunk;
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final List<Request> running = new ArrayList<>();

    /** @param chunk most tokens of a prompt that a step takes */
    Engine(Model model, int chunk) {
        this.model = model;
        this.limits = model.limits();
        this.chunk = Math.min(chunk, limits.rows());
        if (chunk < 1) {
            throw new IllegalArgumentException("a chunk has at least 1 token, got " + chunk);
        }
    }

    /** A prompt, and what is made of it. */
    static final class Request {
        private final int most;
        private final int promised;
        private final Sampler sampler;
        private final int prompted;
        private int[] tokens;
        private int fed;
        private Cache.Sequence sequence;

        private Request(int[] prompt, int count, Sampler sampler) {
            this.prompted = prompt.length;
            this.most = prompt.length + count;
            this.promised = Math.ceilDiv(most - 1, PagedAttention.PAGE);
            this.sampler = sampler;
            this.tokens = prompt;
        }

        boolean isDone() {
            return tokens.length == most;
        }

        /** Whether its newest token alone is to be fed, and the likeliest wanted after it. */
        private boolean isGreedyNow() {
            return fed == tokens.length - 1 && sampler.temperature() == 0;
        }

        /** Takes what follows a token that has been fed. */
        private void append(int token) {
            fed++;
            tokens = Arrays.copyOf(tokens, tokens.length + 1);
            tokens[tokens.length - 1] = token;
        }

        /** What follows the prompt, so far. */
        int[] made() {
            return Arrays.copyOfRange(tokens, prompted, tokens.length);
        }
    }

    /**
     * Hands in a prompt.
     *
     * @param count tokens to make
     * @throws IllegalArgumentException if it can never be done: a token is not in the vocabulary, or there are too many
     *     for the context or the cache
     */
    Request submit(int[] prompt, int count, Sampler sampler) {
        if (prompt.length < 1 || count < 1) {
            throw new IllegalArgumentException("a request has at least 1 token and makes at least 1, got "
                    + prompt.length + " and " + count);
        }
        model.requireTokens(prompt);
        long all = (long) prompt.length + count;
        if (all > model.config().context() || all - 1 > model.cache().slots()) {
            throw new IllegalArgumentException("a request of " + all + " tokens in all is longer than the "
                    + "context of " + model.config().context() + ", or than the cache's " + model.cache().slots());
        }
        Request request = new Request(prompt.clone(), count, sampler);
        waiting.add(request);
        return request;
    }

    /** Runs until all is done. */
    void finish() {
        while (step()) {
            // The next step.
        }
    }

    /** Makes a step. @return whether there was anything to do */
    boolean step() {
        admit();
        if (running.isEmpty()) {
            return false;
        }
        if (running.stream().allMatch(Request::isGreedyNow)) {
            ownSteps();
        } else {
            hostStep();
        }
        running.stream().filter(Request::isDone).forEach(request -> request.sequence.close());
        running.removeIf(Request::isDone);
        return true;
    }

    /** Steps from which the device goes on by itself: as many as the first request that is done lacks. */
    private void ownSteps() {
        int steps = running.stream().mapToInt(request -> request.most - request.tokens.length).min().orElseThrow();
        List<int[]> made = model.greedy(running.stream().map(request -> request.sequence).toList(),
                running.stream().mapToInt(request -> request.tokens[request.fed]).toArray(), Math.min(steps, chunk));
        for (int i = 0; i < made.size(); i++) {
            for (int token : made.get(i)) {
                running.get(i).append(token);
            }
        }
    }

    private void hostStep() {
        int rows = limits.rows() - running.size() + 1;
        List<Model.Feed> feeds = new ArrayList<>();
        for (Request request : running) {
            int count = Math.min(Math.min(chunk, rows), request.tokens.length - request.fed);
            rows -= count - 1;
            int[] tokens = Arrays.copyOfRange(request.tokens, request.fed, request.fed + count);
            boolean last = request.fed + count == request.tokens.length;
            request.fed += last ? count - 1 : count;
            feeds.add(new Model.Feed(request.sequence, tokens, last ? Model.Wanted.LAST : Model.Wanted.NONE));
        }
        List<float[]> logits = model.run(feeds);
        for (int i = 0; i < feeds.size(); i++) {
            Request request = running.get(i);
            if (feeds.get(i).wanted() == Model.Wanted.LAST) {
                request.append(request.sampler.choose(logits.get(i), request.tokens.length));
            }
        }
    }

    /** Lets requests in, in their order: none ever lacks pages, as all that it will need are promised to it. */
    private void admit() {
        int most = Math.min(Math.min(limits.sequences(), limits.asked()), limits.rows());
        int promised = running.stream().mapToInt(request -> request.promised).sum();
        while (!waiting.isEmpty() && running.size() < most
                && promised + waiting.element().promised <= model.cache().pages()) {
            Request request = waiting.remove();
            request.sequence = model.cache().open();
            promised += request.promised;
            running.add(request);
        }
    }
}

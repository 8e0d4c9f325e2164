package dev.tilewright.gpu.emulation;

/** The CUresults of {@code cuda.h} that the emulation gives and {@link dev.tilewright.gpu.cuda.DriverApi} lacks. */
final class Results {
    static final int NOT_INITIALIZED = 3;
    static final int INVALID_DEVICE = 101;
    static final int INVALID_IMAGE = 200;
    static final int PEER_ACCESS_UNSUPPORTED = 217;
    static final int ILLEGAL_STATE = 401;
    static final int LAUNCH_TIMEOUT = 702;
    static final int CONTEXT_IS_DESTROYED = 709;
    static final int HOST_MEMORY_ALREADY_REGISTERED = 712;
    static final int HOST_MEMORY_NOT_REGISTERED = 713;
    static final int ILLEGAL_INSTRUCTION = 715;
    static final int MISALIGNED_ADDRESS = 716;
    static final int LAUNCH_FAILED = 719;
    static final int COOPERATIVE_LAUNCH_TOO_LARGE = 720;
    static final int NOT_PERMITTED = 800;
    static final int STREAM_CAPTURE_UNSUPPORTED = 900;
    static final int STREAM_CAPTURE_INVALIDATED = 901;
    static final int STREAM_CAPTURE_MERGE = 902;
    static final int STREAM_CAPTURE_UNMATCHED = 903;
    static final int STREAM_CAPTURE_UNJOINED = 904;
    static final int STREAM_CAPTURE_ISOLATION = 905;
    static final int STREAM_CAPTURE_IMPLICIT = 906;
    static final int CAPTURED_EVENT = 907;
    static final int STREAM_CAPTURE_WRONG_THREAD = 908;
    static final int INVALID_CLUSTER_SIZE = 912;

    private Results() { }
}

package dev.tilewright.gpu.emulation.state;

/** The CUresults of {@code cuda.h} that the emulation gives and {@link dev.tilewright.gpu.cuda.DriverApi} lacks. */
public final class Results {
    public static final int NOT_INITIALIZED = 3;
    public static final int INVALID_DEVICE = 101;
    public static final int INVALID_IMAGE = 200;
    public static final int PEER_ACCESS_UNSUPPORTED = 217;
    public static final int ILLEGAL_STATE = 401;
    public static final int LAUNCH_TIMEOUT = 702;
    public static final int CONTEXT_IS_DESTROYED = 709;
    public static final int HOST_MEMORY_ALREADY_REGISTERED = 712;
    public static final int HOST_MEMORY_NOT_REGISTERED = 713;
    public static final int ILLEGAL_INSTRUCTION = 715;
    public static final int MISALIGNED_ADDRESS = 716;
    public static final int LAUNCH_FAILED = 719;
    public static final int COOPERATIVE_LAUNCH_TOO_LARGE = 720;
    public static final int NOT_PERMITTED = 800;
    public static final int STREAM_CAPTURE_UNSUPPORTED = 900;
    public static final int STREAM_CAPTURE_INVALIDATED = 901;
    public static final int STREAM_CAPTURE_MERGE = 902;
    public static final int STREAM_CAPTURE_UNMATCHED = 903;
    public static final int STREAM_CAPTURE_UNJOINED = 904;
    public static final int STREAM_CAPTURE_ISOLATION = 905;
    public static final int STREAM_CAPTURE_IMPLICIT = 906;
    public static final int CAPTURED_EVENT = 907;
    public static final int STREAM_CAPTURE_WRONG_THREAD = 908;
    public static final int TIMEOUT = 909;
    public static final int INVALID_CLUSTER_SIZE = 912;

    private Results() { }
}

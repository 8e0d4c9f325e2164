package dev.tilewright.ptx;

import java.util.List;

/**
 * One form of one PTX instruction: an opcode with all its qualifiers and immediates chosen. Everything that knows the
 * instruction (emission, the architecture gate, listings, tests) reads it from here.
 *
 * <p>Facts (qualifiers, versions, architectures): PTX ISA, chapter "Instruction Set".
 */
public sealed interface PtxInstruction
        permits CpAsync, CpAsyncCommitGroup, CpAsyncWaitGroup, BulkLoad, BulkStore, TensorLoad, TensorStore,
        BulkCommitGroup, BulkWaitGroup, MbarrierInit, MbarrierArrive, MbarrierArriveExpectTx, MbarrierExpectTx,
        MbarrierTryWait, MbarrierTryWaitParity, FenceProxyAsync, FenceMbarrierInit,
        TensormapReplace, TensormapCpFenceproxy, FenceProxyTensormapAcquire, FenceProxyTensormapRelease, PrefetchTensormap {

    /** The opcode with every qualifier, as PTX writes it. */
    String opcode();

    /** Register and address operands in the order of the text. */
    List<Operand> operands();

    /** The text after the opcode, where {@code %name%} stands for the operand of that name; may hold immediates. */
    String operandText();

    /** The first PTX ISA version with this form. */
    PtxVersion since();

    /** The least capable target that has this form. */
    Target minimumTarget();

    /** One line for the catalogue: what the instruction does. */
    String summary();

    /** The name of the function that wraps this form in generated code, unique among all forms. */
    String functionName();
}

"""Times cuBLAS, as PyTorch calls it, for products of square matrices of normally distributed bf16."""
import torch

for extent in (4096, 8192):
    a = torch.randn(extent, extent, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(extent, extent, device="cuda", dtype=torch.bfloat16)
    for order, right in (("nn", b), ("nt", b.t())):
        for _ in range(10):
            torch.matmul(a, right)
        times = []
        for _ in range(15):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(4):
                torch.matmul(a, right)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / 4 * 1e3)
        micros = sorted(times)[len(times) // 2]
        print(f"cublas bf16 {order} {extent}: {micros:.1f} us, {2 * extent ** 3 / micros * 1e-6:.1f} TFLOP/s")

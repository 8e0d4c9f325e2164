# Attention beside torch's scaled_dot_product_attention by each backend, turn by turn in one process.
#
# Beside this file lie the kernels: for each NAME.cu, as `tilewright emit attention --target sm_90a -o p128-NAME.cu` writes
# it (attention-causal: c128-NAME; of a head width of 64: p64-NAME), a NAME.cubin of
# `nvcc -cubin -gencode arch=compute_90a,code=sm_90a --fmad=false`. Where there is a p128.bin (heads, queries, keys, width as
# i32, then q, k, v and the executor's output as bf16), outputs are held against it. Then: python3 race.py [CASES]
import ctypes, sys, os, random, re, torch, statistics, struct
from torch.nn.attention import sdpa_kernel, SDPBackend
import torch.nn.functional as F
torch.cuda.init(); dev = torch.device('cuda'); torch.zeros(1, device=dev)
cu = ctypes.CDLL('libcuda.so.1')
def ok(r, what):
    if r != 0: raise RuntimeError(f'{what}: {r}')
here = os.path.dirname(os.path.abspath(__file__))
class Kernel:
    def __init__(self, name, smem, maps):
        self.mod = ctypes.c_void_p(); self.f = ctypes.c_void_p(); self.smem = smem; self.maps = maps
        ok(cu.cuModuleLoad(ctypes.byref(self.mod), f'{here}/{name}.cubin'.encode()), 'load')
        ok(cu.cuModuleGetFunction(ctypes.byref(self.f), self.mod, b'attention'), 'get')
        ok(cu.cuFuncSetAttribute(self.f, 8, smem), 'smem')
def tmap(t, box, swizzle):
    m = ctypes.create_string_buffer(128 + 128); a = ctypes.addressof(m); a += (-a) % 128
    sh = list(t.shape)[::-1]; st = list(t.stride())[::-1]; n = len(sh)
    dims = (ctypes.c_uint64 * n)(*sh); strides = (ctypes.c_uint64 * n)(*[s * 2 for s in st[1:]], 0)
    bx = (ctypes.c_uint32 * n)(*box[::-1]); es = (ctypes.c_uint32 * n)(*[1] * n)
    ok(cu.cuTensorMapEncodeTiled(ctypes.c_void_p(a), 1, n, ctypes.c_void_p(t.data_ptr()), dims, strides, bx, es, 0, swizzle, 0, 0), 'encode')
    return m, a
class Launch:
    def __init__(self, k, q, kk, v, out, blocks, boxk=128):
        d = q.shape[-1]; c = 64
        r = q.dim()
        maps = {'out': (out, [1] * (r - 2) + [64, c]), 'q': (q, [1] * (r - 2) + [64, c]), 'k': (kk, [1, 1, boxk, c]), 'v': (v, [1, 1, boxk, c])}
        self.keep = [tmap(*maps[name], 3) for name in k.maps]
        ints = [ctypes.c_longlong(x) for x in (q.shape[0], q.shape[1], q.shape[-2], kk.shape[-2])]
        self.ints = ints; self.k = k; self.blocks = blocks
        self.args = (ctypes.c_void_p * 8)(*[a for _, a in self.keep], *[ctypes.addressof(i) for i in ints])
    def __call__(self):
        ok(cu.cuLaunchKernel(self.k.f, self.blocks, 1, 1, 384, 1, 1, self.k.smem, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), self.args, None), 'launch')
sms = torch.cuda.get_device_properties(0).multi_processor_count
# As a launch has them: as few blocks as take no more tiles each than all multiprocessors would.
def even(tiles): return -(-tiles // -(-tiles // sms))
def blocks(b, h, n): return even(b * h * -(-n // 64))
def source(name):
    text = open(f'{here}/{name}.cu').read()
    return int(re.search(r'(\d+) bytes of dynamic', text)[1]), re.findall(r'TensorMap (\w+)_map', text)
names = [f[:-6] for f in sorted(os.listdir(here)) if f.endswith('.cubin')]
kernels = {n: Kernel(n, *source(n)) for n in names}
print(torch.cuda.get_device_name(), torch.__version__, torch.version.cuda, 'cudnn', torch.backends.cudnn.version())
# bytes
for n in names:
    kind = n.split('-')[0]; f = f'{here}/{kind}.bin'
    if not os.path.exists(f): continue
    raw = open(f, 'rb').read(); h, qn, kn, d = struct.unpack('<4i', raw[:16]); raw = bytearray(raw[16:])
    all = torch.frombuffer(raw, dtype=torch.int16).clone(); s = h * qn * d; t = h * kn * d
    q, k, v, o = [x.view(torch.bfloat16).to(dev) for x in torch.split(all, [s, t, t, s])]
    q = q.view(1, h, qn, d); k = k.view(1, h, kn, d); v = v.view(1, h, kn, d); out = torch.full_like(q, 7.0)
    for grid in (blocks(1, h, qn), 1, 5):
        out.fill_(7)
        Launch(kernels[n], q, k, v, out, grid, 128)(); torch.cuda.synchronize()
        diff = (out.view(torch.int16).flatten() != o.view(torch.int16).flatten()).sum().item()
        print(n, 'bytes against the executor, by', grid, 'blocks:', diff, 'of', s, 'elements differ', flush=True)
# In an order of its own each round: what comes behind a hotter kernel is slower.
def turns(fs, rounds=15, ms=30):
    times = {n: [] for n in fs}
    reps = {}
    for n, f in fs.items():
        for _ in range(3): f()
        torch.cuda.synchronize(); e = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        e[0].record(); f(); e[1].record(); torch.cuda.synchronize(); reps[n] = max(1, int(ms / e[0].elapsed_time(e[1])))
    for _ in range(rounds):
        for n, f in random.sample(list(fs.items()), len(fs)):
            e = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            f(); e[0].record()
            for _ in range(reps[n]): f()
            e[1].record(); torch.cuda.synchronize(); times[n].append(e[0].elapsed_time(e[1]) / reps[n])
    return {n: statistics.median(t) for n, t in times.items()}
cases = [(2, 16, 16384, 128, False), (2, 16, 16384, 128, True), (8, 16, 4096, 128, False), (8, 16, 4096, 128, True), (16, 16, 2048, 128, False), (16, 16, 2048, 128, True), (2, 32, 16384, 64, False)]
if len(sys.argv) > 1: cases = cases[:int(sys.argv[1])]
for b, h, n, d, causal in cases:
    torch.manual_seed(1)
    q, k, v = [torch.randn(b, h, n, d, device=dev, dtype=torch.bfloat16) for _ in range(3)]
    out = torch.empty_like(q)
    fs = {}
    kind = ('c' if causal else 'p') + str(d)
    for name in names:
        if name.split('-')[0] == kind: fs[name] = Launch(kernels[name], q, k, v, out, blocks(b, h, n))
    for be in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        def f(be=be):
            with sdpa_kernel(be): return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        try:
            f(); torch.cuda.synchronize(); fs[str(be).split('.')[-1]] = f
        except Exception as e: print(be, str(e)[:100])
    ref = None
    for name, f in fs.items():
        if isinstance(f, Launch):
            out.fill_(7); f(); torch.cuda.synchronize()
            if ref is None: ref = F.scaled_dot_product_attention(q[:1, :2].float(), k[:1, :2].float(), v[:1, :2].float(), is_causal=causal) if n <= 4096 else F.scaled_dot_product_attention(q[:1, :2], k[:1, :2], v[:1, :2], is_causal=causal).float()
            print(f'  {name} greatest difference from torch {(out[:1, :2].float() - ref).abs().max().item():.5f}')
    t = turns(fs); flop = 4 * b * h * n * n * d / (2 if causal else 1)
    print(f'{b} x {h} x {n} x {d}{" causal" if causal else ""}: ' + '; '.join(f'{name} {ms:.3f} ms {flop / ms / 1e9:.1f} TFLOP/s' for name, ms in t.items()), flush=True)
    del q, k, v, out, fs, ref; torch.cuda.empty_cache()

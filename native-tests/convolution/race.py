# Convolutions beside torch's, channels last and with cudnn.benchmark, turn by turn in one process.
#
# Beside this file lie the kernels: 2d-128x256.cu as `tilewright emit conv-2d --target sm_90a --schedule tile=128x256 -o
# 2d-128x256.cu` writes it, others with what else their schedule says in their names, and 3d-… of conv-3d; nvcc compiles them
# here. Results are held against torch's, whose sums have another order. Then: python3 race.py
import ctypes, os, re, statistics, subprocess, torch
import torch.nn.functional as F

torch.cuda.init(); dev = torch.device('cuda'); torch.zeros(1, device=dev)
torch.backends.cudnn.benchmark = True
cu = ctypes.CDLL('libcuda.so.1')
here = os.path.dirname(os.path.abspath(__file__))
swizzle_128 = 3

def ok(result, what):
    if result != 0: raise RuntimeError(f'{what}: {result}')

def words(values, kind): return (kind * len(values))(*values)

def aligned():
    memory = ctypes.create_string_buffer(256); address = ctypes.addressof(memory)
    return memory, address + -address % 128

def tiled(t, box):
    memory, at = aligned(); shape = list(t.shape)[::-1]
    ok(cu.cuTensorMapEncodeTiled(ctypes.c_void_p(at), 1, len(shape), ctypes.c_void_p(t.data_ptr()), words(shape, ctypes.c_uint64),
            words([2 * s for s in t.stride()[::-1][1:]], ctypes.c_uint64), words(box[::-1], ctypes.c_uint32),
            words([1] * len(shape), ctypes.c_uint32), 0, swizzle_128, 0, 0), 'cuTensorMapEncodeTiled')
    return memory, at

def im2col(t, pixels):
    memory, at = aligned(); shape = list(t.shape)[::-1]; spatial = len(shape) - 2
    ok(cu.cuTensorMapEncodeIm2col(ctypes.c_void_p(at), 1, len(shape), ctypes.c_void_p(t.data_ptr()), words(shape, ctypes.c_uint64),
            words([2 * s for s in t.stride()[::-1][1:]], ctypes.c_uint64), words([-1] * spatial, ctypes.c_int),
            words([-1] * spatial, ctypes.c_int), 64, pixels, words([1] * len(shape), ctypes.c_uint32), 0, swizzle_128, 0, 0),
            'cuTensorMapEncodeIm2col')
    return memory, at

class Kernel:
    def __init__(self, name):
        source = open(f'{here}/{name}.cu').read()
        subprocess.run(['nvcc', '-cubin', '-gencode', 'arch=compute_90a,code=sm_90a', '--fmad=false', '-o', f'{here}/{name}.cubin',
                f'{here}/{name}.cu'], check=True, timeout=120)
        self.threads = int(re.search(r'__launch_bounds__\((\d+)', source)[1])
        self.shared = int(re.search(r'(\d+) bytes of dynamic', source)[1])
        self.tile = [int(n) for n in re.search(r'(\d+)x(\d+)', name).groups()]
        self.module = ctypes.c_void_p(); self.function = ctypes.c_void_p()
        ok(cu.cuModuleLoad(ctypes.byref(self.module), f'{here}/{name}.cubin'.encode()), 'cuModuleLoad')
        ok(cu.cuModuleGetFunction(ctypes.byref(self.function), self.module, f'conv_{name[0]}d'.encode()), 'cuModuleGetFunction')
        ok(cu.cuFuncSetAttribute(self.function, 8, self.shared), 'cuFuncSetAttribute')

    def of(self, x, w, y):
        rows, columns = self.tile
        self.maps = [im2col(x, rows), tiled(w, [1, 64, 64]), tiled(y, [64, 64])]
        self.sizes = [ctypes.c_longlong(n) for n in (*x.shape, w.shape[-1])]
        self.arguments = (ctypes.c_void_p * (3 + len(self.sizes)))(*[at for _, at in self.maps], *[ctypes.addressof(n) for n in self.sizes])
        tiles = -(-y.shape[0] // rows) * -(-y.shape[1] // columns)
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        self.blocks = -(-tiles // -(-tiles // processors))

    def __call__(self):
        ok(cu.cuLaunchKernel(self.function, self.blocks, 1, 1, self.threads, 1, 1, self.shared,
                ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), self.arguments, None), 'cuLaunchKernel')

def turns(works, rounds=9, ms=60):
    times = {name: [] for name in works}; often = {}
    def events(): return [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    for name, work in works.items():
        for _ in range(5): work()
        torch.cuda.synchronize(); e = events()
        e[0].record(); work(); e[1].record(); torch.cuda.synchronize(); often[name] = max(1, int(ms / e[0].elapsed_time(e[1])))
    for _ in range(rounds):
        for name, work in works.items():
            e = events(); work(); e[0].record()
            for _ in range(often[name]): work()
            e[1].record(); torch.cuda.synchronize(); times[name].append(e[0].elapsed_time(e[1]) / often[name] * 1e3)
    return {name: statistics.median(t) for name, t in times.items()}

print(torch.cuda.get_device_name(), 'torch', torch.__version__, 'cuDNN', torch.backends.cudnn.version(), flush=True)
for spatial, shape, filters in ((2, (64, 56, 56, 256), 256), (3, (4, 16, 56, 56, 64), 64)):
    torch.manual_seed(1); channels = shape[-1]
    x = torch.randn(shape, device=dev, dtype=torch.bfloat16)
    layout = torch.channels_last if spatial == 2 else torch.channels_last_3d
    theirs = torch.randn([filters, channels] + [3] * spatial, device=dev).bfloat16().to(memory_format=layout)
    last_first = x.permute(0, spatial + 1, *range(1, spatial + 1))
    w = theirs.permute(*range(2, spatial + 2), 1, 0).reshape(3 ** spatial, channels, filters).contiguous()
    conv = F.conv2d if spatial == 2 else F.conv3d
    works = {'torch': lambda: conv(last_first, theirs, padding=1)}
    wanted = works['torch']().permute(0, *range(2, spatial + 2), 1).reshape(-1, filters)
    for name in sorted(f[:-3] for f in os.listdir(here) if f.endswith('.cu') and f.startswith(f'{spatial}d')):
        kernel = Kernel(name); y = torch.full_like(wanted, 7.0); kernel.of(x, w, y); kernel(); torch.cuda.synchronize()
        differs = (y != wanted).sum().item(); most = (y.float() - wanted.float()).abs().max().item()
        print(f'  {name}: {differs} of {y.numel()} elements are not torch\'s, by {most} at most', flush=True)
        works[name] = kernel
    operations = 2 * x.numel() * filters * 3 ** spatial
    took = turns(works)
    for name, us in took.items():
        print(f'conv-{spatial}d bf16 {" x ".join(map(str, shape))}, {filters} filters: {name} {us:.1f} us; {operations / us / 1e6:.1f} TFLOP/s; '
                f'{took["torch"] / us:.3f} of torch', flush=True)

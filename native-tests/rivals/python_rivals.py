#!/usr/bin/env python3
"""What PyTorch and Triton take for the same work, where they are installed.

Reads commands, one a line, from standard input and answers JSON lines, as the C++ rivals do:

    list                                what there is: {"work": NAME, "side": SIDE, "parameters": TEXT}
    NAME SIDE TYPE D0xD1x... SEED TURNS measures it beside a plain copy of as many bytes; the last line is
                                        {"done": ...} or {"error": ..., "kind": "refused" | "wrong" | "failed"}

Times are those of CUDA events around several starts, queued behind a warm-up so that no time of the host's is in them.
Every result is compared with one computed in another way before it is timed and after.
"""

import json
import math
import sys

LEAST_MILLISECONDS = 0.4
MOST_STARTS = 64
WARM_UP_MILLISECONDS = 100
# Of the L2: what the arrays that are rotated through take together, so that none is there when its turn comes.
TIMES_CACHE = 100


class Refusal(Exception):
    """What is asked for cannot be done here."""


class Wrong(Exception):
    """A result is not what it should be."""


try:
    import torch
except ImportError as reason:
    torch = None
    NO_TORCH = f'PyTorch is not installed for {sys.executable} ({reason})'
try:
    import triton
    import triton.language as tl
except ImportError as reason:
    triton = None
    NO_TRITON = f'Triton is not installed for {sys.executable} ({reason})'


def say(**line):
    print(json.dumps(line), flush=True)


def type_of(name):
    known = {'f32': torch.float32, 'f16': torch.float16, 'bf16': torch.bfloat16, 'tf32': torch.float32,
             'u8': torch.uint8, 'f8': torch.float8_e4m3fn}
    if name not in known:
        raise Refusal(f"there is no type '{name}': {', '.join(known)}")
    return known[name]


def numbers(shape, dtype, generator):
    """Normally distributed numbers, or random bytes."""
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, device='cuda', generator=generator)
    if dtype == torch.float8_e4m3fn:
        return torch.randn(shape, device='cuda', generator=generator, dtype=torch.bfloat16).to(dtype)
    return torch.randn(shape, dtype=dtype, device='cuda', generator=generator)


def close(result, expected, tolerance, what):
    """Raises Wrong where a result is farther from what is expected than a part of the largest number there."""
    result, expected = result.float(), expected.float()
    if result.shape != expected.shape:
        raise Wrong(f'{what}: the result is of {tuple(result.shape)}, not {tuple(expected.shape)}')
    off = (result - expected).abs().max().item()
    most = max(expected.abs().max().item(), 1e-30)
    if not off <= tolerance * most:
        raise Wrong(f'{what}: off by {off:.3g} where numbers go up to {most:.3g}')


def equal(result, expected, what):
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[result.element_size()]
    if result.shape != expected.shape:
        raise Wrong(f'{what}: the result is of {tuple(result.shape)}, not {tuple(expected.shape)}')
    if not torch.equal(result.contiguous().view(bits), expected.contiguous().view(bits)):
        raise Wrong(f'{what}: bytes differ')


class Work:
    """One piece of work: what is started, and how it is checked.

    amount: bytes moved or operations of one start; start(place): starts it on the arrays of a place; check(): raises
    Wrong.
    """

    def __init__(self, amount, unit, start, check, parameters=''):
        self.amount, self.unit, self.start, self.check, self.parameters = amount, unit, start, check, parameters


def rotated(count_bytes, make):
    """As many sets of arrays as take a hundred times the L2, in half of the free memory at most."""
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    free, _ = torch.cuda.mem_get_info()
    count = max(1, min(1024, free // 2 // count_bytes, math.ceil(TIMES_CACHE * l2 / count_bytes)))
    return [make(i) for i in range(count)]


def rows_and_columns(shape, what):
    if len(shape) != 2:
        raise Refusal(f'{what} takes two dimensions, not {len(shape)}')
    return shape


# PyTorch


def torch_copy(dtype, shape, generator, way):
    n = math.prod(shape) * dtype.itemsize
    sources = rotated(2 * n, lambda i: numbers(shape, dtype, generator))
    results = [torch.zeros_like(s) for s in sources]

    def start(place):
        i = place % len(sources)
        if way == 'clone':
            results[i] = sources[i].clone()
        else:
            results[i].copy_(sources[i])

    def check():
        for r in results:
            r.zero_()
        for i in range(len(sources)):
            start(i)
        for s, r in zip(sources, results):
            equal(r, s, way)

    return Work(2 * n, 'GB/s', start, check, {'clone': 'Tensor.clone()', 'copy': 'Tensor.copy_()'}[way])


def torch_transpose(dtype, shape, generator):
    rows, columns = rows_and_columns(shape, 'transpose')
    n = rows * columns * dtype.itemsize
    sources = rotated(2 * n, lambda i: numbers(shape, dtype, generator))
    results = [torch.zeros((columns, rows), dtype=dtype, device='cuda') for _ in sources]

    def start(place):
        i = place % len(sources)
        results[i].copy_(sources[i].t())

    def check():
        for r in results:
            r.zero_()
        for i in range(len(sources)):
            start(i)
        for s, r in zip(sources, results):
            # Element (c, r), read one row of the result at a time out of the source's columns.
            step = max(1, columns // 61)
            for c in range(0, columns, step):
                equal(r[c], s[:, c], 'transpose')
            if r.double().sum().item() != s.double().sum().item() and abs(
                    r.double().sum().item() - s.double().sum().item()) > 1e-9 * s.double().abs().sum().item():
                raise Wrong('transpose: sums differ')

    return Work(2 * n, 'GB/s', start, check, 'Tensor.copy_() of the transposed view')


def torch_sum(dtype, shape, generator):
    n = math.prod(shape) * dtype.itemsize
    sources = rotated(n, lambda i: numbers(shape, dtype, generator))
    results = [None] * len(sources)

    def start(place):
        i = place % len(sources)
        results[i] = sources[i].sum()

    def check():
        for i in range(len(sources)):
            start(i)
        for s, r in zip(sources, results):
            exact = s.double().sum().item()
            size = s.double().abs().sum().item()
            if not abs(r.item() - exact) <= (1e-6 if dtype == torch.float32 else 1e-2) * size:
                raise Wrong(f'sum: {r.item()} and not {exact}')

    return Work(n, 'GB/s', start, check, 'Tensor.sum()')


def torch_rowwise(dtype, shape, generator, name, function, expected):
    rows_and_columns(shape, name)
    n = math.prod(shape) * dtype.itemsize
    sources = rotated(2 * n, lambda i: numbers(shape, dtype, generator))
    results = [None] * len(sources)

    def start(place):
        i = place % len(sources)
        results[i] = function(sources[i])

    def check():
        for i in range(len(sources)):
            start(i)
        for s, r in zip(sources, results):
            # A part of the rows: in f64 all would not fit.
            step = max(1, shape[0] // 4096)
            close(r[::step], expected(s[::step].double()), 1e-5 if dtype == torch.float32 else 1e-2, name)

    return Work(2 * n, 'GB/s', start, check, f'torch.nn.functional.{name}')


def torch_softmax(dtype, shape, generator):
    return torch_rowwise(dtype, shape, generator, 'softmax', lambda x: torch.nn.functional.softmax(x, dim=-1),
                         lambda x: (x - x.amax(-1, keepdim=True)).exp() / (x - x.amax(-1, keepdim=True)).exp().sum(
                             -1, keepdim=True))


def torch_layer_norm(dtype, shape, generator):
    return torch_rowwise(dtype, shape, generator, 'layer_norm',
                         lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
                         lambda x: (x - x.mean(-1, keepdim=True))
                         / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt())


def product_operands(dtype, shape, generator):
    if len(shape) != 3:
        raise Refusal(f'a product takes MxNxK, not {len(shape)} dimensions')
    m, n, k = shape
    a, b = numbers((m, k), dtype, generator), numbers((n, k), dtype, generator)
    return m, n, k, a, b.t()


def check_product(result, a, b, tolerance):
    step = max(1, a.shape[0] // 64)
    close(result[::step], a[::step].double() @ b.double(), tolerance, 'product')


def torch_matmul(dtype, shape, generator, name):
    m, n, k, a, b = product_operands(dtype, shape, generator)
    torch.backends.cuda.matmul.allow_tf32 = name == 'tf32'
    result = [None]
    one = torch.ones((), device='cuda')

    def start(place):
        if dtype == torch.float8_e4m3fn:
            result[0] = torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)
        else:
            result[0] = a @ b

    def check():
        start(0)
        tolerance = {'f32': 1e-5, 'tf32': 2e-3, 'f8': 2e-2}.get(name, 1e-2)
        check_product(result[0], a, b, tolerance)

    return Work(2 * m * n * k, 'TFLOP/s', start, check,
                'torch._scaled_mm, fast accumulation' if dtype == torch.float8_e4m3fn else 'a @ b')


def torch_attention(dtype, shape, generator):
    if len(shape) != 4:
        raise Refusal(f'attention takes BATCHxHEADSxLENGTHxWIDTH, not {len(shape)} dimensions')
    batch, heads, length, width = shape
    q, k, v = (numbers(shape, dtype, generator) for _ in range(3))
    result = [None]

    def start(place):
        result[0] = torch.nn.functional.scaled_dot_product_attention(q, k, v)

    def check():
        start(0)
        scores = (q[0, 0].double() @ k[0, 0].double().t()) / math.sqrt(width)
        close(result[0][0, 0], scores.softmax(-1) @ v[0, 0].double(), 1e-4 if dtype == torch.float32 else 1e-2,
              'attention')

    return Work(4 * batch * heads * length * length * width, 'TFLOP/s', start, check, 'scaled_dot_product_attention')


# Triton

if triton is not None:

    @triton.jit
    def copy_kernel(source, result, n, BLOCK: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        tl.store(result + at, tl.load(source + at, mask=at < n), mask=at < n)

    @triton.jit
    def softmax_kernel(source, result, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        x = tl.load(source + row * columns + at, mask=at < columns, other=-float('inf')).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(result + row * columns + at, (e / tl.sum(e, axis=0)).to(result.dtype.element_ty), mask=at < columns)

    @triton.jit
    def product_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
        # Blocks in groups of rows, so that what they share is in the L2.
        block = tl.program_id(0)
        across, down = tl.cdiv(N, BN), tl.cdiv(M, BM)
        group = block // (GROUP * across)
        first = group * GROUP
        height = min(down - first, GROUP)
        i = first + (block % (GROUP * across)) % height
        j = (block % (GROUP * across)) // height
        rows = (i * BM + tl.arange(0, BM)) % M
        columns = (j * BN + tl.arange(0, BN)) % N
        depth = tl.arange(0, BK)
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        left = a + rows[:, None] * K + depth[None, :]
        right = b + columns[None, :] * K + depth[:, None]
        for step in range(0, tl.cdiv(K, BK)):
            x = tl.load(left, mask=depth[None, :] < K - step * BK, other=0.0)
            y = tl.load(right, mask=depth[:, None] < K - step * BK, other=0.0)
            sums = tl.dot(x, y, sums)
            left += BK
            right += BK
        out_rows = i * BM + tl.arange(0, BM)
        out_columns = j * BN + tl.arange(0, BN)
        tl.store(c + out_rows[:, None] * N + out_columns[None, :], sums.to(c.dtype.element_ty),
                 mask=(out_rows[:, None] < M) & (out_columns[None, :] < N))


def fastest(choices, start):
    """The choice whose start takes least, by a few starts each; those that cannot be run do not count."""
    times, why = {}, None
    for choice in choices:
        try:
            start(choice)
            times[choice] = sorted(elapsed(lambda: start(choice), 3) for _ in range(3))[1]
        except Exception as e:  # Triton raises many kinds: too much shared memory, no such layout.
            why = e
    if not times:
        raise Refusal(f'Triton runs none of its configurations here: {why}')
    return min(times, key=times.get)


def elapsed(start, times):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        start()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def triton_copy(dtype, shape, generator):
    n = math.prod(shape)
    sources = rotated(2 * n * dtype.itemsize, lambda i: numbers(shape, dtype, generator))
    results = [torch.zeros_like(s) for s in sources]

    def launch(choice, i):
        block, warps = choice
        copy_kernel[(triton.cdiv(n, block),)](sources[i], results[i], n, BLOCK=block, num_warps=warps)

    best = fastest([(1024, 4), (2048, 4), (4096, 8), (8192, 8)], lambda choice: launch(choice, 0))

    def start(place):
        launch(best, place % len(sources))

    def check():
        for r in results:
            r.zero_()
        for i in range(len(sources)):
            start(i)
        for s, r in zip(sources, results):
            equal(r, s, 'copy')

    return Work(2 * n * dtype.itemsize, 'GB/s', start, check, f'blocks of {best[0]}, {best[1]} warps')


def triton_softmax(dtype, shape, generator):
    rows, columns = rows_and_columns(shape, 'softmax')
    if columns > 65536:
        raise Refusal(f'one block holds a row here: at most 65536 columns, not {columns}')
    block = triton.next_power_of_2(columns)
    results = {}

    def function(x, warps):
        out = results.get(x.data_ptr())
        if out is None:
            out = results[x.data_ptr()] = torch.empty_like(x)
        softmax_kernel[(rows,)](x, out, columns, BLOCK=block, num_warps=warps)
        return out

    trial = numbers(shape, dtype, generator)
    warps = fastest([2, 4, 8, 16], lambda w: function(trial, w))
    results.clear()
    work = torch_rowwise(dtype, shape, generator, 'softmax', lambda x: function(x, warps),
                         lambda x: (x - x.amax(-1, keepdim=True)).exp() / (x - x.amax(-1, keepdim=True)).exp().sum(
                             -1, keepdim=True))
    work.parameters = f'a row a block, {warps} warps'
    return work


def triton_matmul(dtype, shape, generator, name):
    if name not in ('f16', 'bf16', 'f8'):
        raise Refusal(f'this Triton product takes f16, bf16 or f8, not {name}')
    m, n, k, a, b = product_operands(dtype, shape, generator)
    out = torch.float16 if dtype == torch.float16 else torch.bfloat16
    c = torch.empty((m, n), dtype=out, device='cuda')
    by_columns = b.t()

    def launch(choice):
        bm, bn, bk, warps, stages = choice
        grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
        product_kernel[grid](a, by_columns, c, m, n, k, BM=bm, BN=bn, BK=bk, GROUP=8, num_warps=warps,
                             num_stages=stages)

    deep = 128 if dtype.itemsize == 1 else 64
    best = fastest([(128, 256, deep, 8, 3), (128, 128, deep, 8, 4), (128, 128, deep, 4, 4), (128, 256, deep, 8, 4)],
                   launch)

    def check():
        c.zero_()
        launch(best)
        check_product(c, a, b, 2e-2 if name == 'f8' else 1e-2)

    return Work(2 * m * n * k, 'TFLOP/s', lambda place: launch(best), check,
                'blocks of %dx%dx%d, %d warps, %d stages' % best)


TORCH = {
    'clone': lambda d, s, g, n: torch_copy(d, s, g, 'clone'),
    'copy': lambda d, s, g, n: torch_copy(d, s, g, 'copy'),
    'transpose': lambda d, s, g, n: torch_transpose(d, s, g),
    'sum': lambda d, s, g, n: torch_sum(d, s, g),
    'softmax': lambda d, s, g, n: torch_softmax(d, s, g),
    'layer-norm': lambda d, s, g, n: torch_layer_norm(d, s, g),
    'product': torch_matmul,
    'attention': lambda d, s, g, n: torch_attention(d, s, g),
}
TRITON = {
    'copy': lambda d, s, g, n: triton_copy(d, s, g),
    'softmax': lambda d, s, g, n: triton_softmax(d, s, g),
    'product': triton_matmul,
}


def take_turns(sides, turns):
    """Milliseconds of one start of each side: turns, each behind a start that is not timed."""
    batches, total = [], 0
    for side in sides:
        side(0)
        each = elapsed(lambda: side(1), 2)
        batches.append(max(1, min(MOST_STARTS, math.ceil(LEAST_MILLISECONDS / max(each, 1e-3)))))
        total += each
    place = 0
    for _ in range(int(min(2000, max(2, WARM_UP_MILLISECONDS / total)))):
        for side in sides:
            side(place)
            place += 1
    events = []
    for _ in range(turns):
        for side, batch in zip(sides, batches):
            side(place)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(batch):
                place += 1
                side(place)
            end.record()
            events.append((begin, end, batch))
    torch.cuda.synchronize()
    times = [begin.elapsed_time(end) / batch for begin, end, batch in events]
    return [times[i::len(sides)] for i in range(len(sides))]


def report(name, unit, amount, milliseconds, **more):
    rates = sorted(amount / ms * 1e3 / (1e9 if unit == 'GB/s' else 1e12) for ms in milliseconds)
    say(name=name, unit=unit, median=rates[len(rates) // 2], least=rates[0], most=rates[-1], samples=len(rates),
        amount=amount, milliseconds=milliseconds, **more)


def measure(name, side, type_name, shape, seed, turns):
    if torch is None:
        raise Refusal(NO_TORCH)
    if not torch.cuda.is_available():
        raise Refusal('PyTorch finds no GPU')
    if side == 'triton' and triton is None:
        raise Refusal(NO_TRITON)
    all_work = {'torch': TORCH, 'triton': TRITON}.get(side, {})
    if name not in all_work:
        raise Refusal(f"there is no '{name}' of '{side}': 'list' names what there is")
    generator = torch.Generator(device='cuda')
    generator.manual_seed(seed)
    try:
        work = all_work[name](type_of(type_name), shape, generator, type_name)
        work.check()
        # A plain copy of as many bytes in the same turns, where it is bytes that count.
        sides = [work.start]
        if work.unit == 'GB/s':
            n = math.prod(shape) * type_of(type_name).itemsize
            pairs = rotated(2 * n, lambda i: (torch.randint(0, 256, (n,), dtype=torch.uint8, device='cuda'),
                                              torch.empty(n, dtype=torch.uint8, device='cuda')))
            sides.insert(0, lambda place: pairs[place % len(pairs)][1].copy_(pairs[place % len(pairs)][0]))
        times = take_turns(sides, turns)
        work.check()
        version = torch.__version__ if side == 'torch' else triton.__version__
        if work.unit == 'GB/s':
            report('cuMemcpy', 'GB/s', 2 * n, times[0])
        report(f'{side} {name}', work.unit, work.amount, times[-1], version=version, type=type_name,
               parameters=work.parameters, verified=True)
    except torch.cuda.OutOfMemoryError as e:
        raise Refusal(f"the GPU's memory does not suffice: {str(e).splitlines()[0]}") from e
    finally:
        work = sides = pairs = None
        torch.cuda.empty_cache()


def listed():
    for side, there, why in (('torch', torch, TORCH), ('triton', triton, TRITON)):
        if there is not None:
            for name in why:
                say(work=name, side=side, parameters=f'{side} {there.__version__}')
        else:
            say(missing=side, reason=NO_TORCH if side == 'torch' else NO_TRITON)


def answer(line):
    words = line.split()
    try:
        if not words:
            raise Refusal('the command is empty')
        if words[0] == 'list':
            listed()
        elif len(words) != 6:
            raise Refusal(f'a command is NAME SIDE TYPE D0xD1 SEED TURNS, got: {line.strip()}')
        else:
            name, side, type_name, sides, seed, turns = words
            try:
                shape, seed, turns = tuple(int(d) for d in sides.split('x')), int(seed), int(turns)
            except ValueError as e:
                raise Refusal(f'shapes, seeds and turns are whole numbers, got: {line.strip()}') from e
            if turns < 1 or min(shape) < 1:
                raise Refusal('sides and turns are at least 1')
            measure(name, side, type_name, shape, seed, turns)
        say(done=words[0])
        return True
    except Refusal as e:
        say(error=str(e), kind='refused')
    except Wrong as e:
        say(error=str(e), kind='wrong')
    return False


def main():
    all_done = True
    for line in ([' '.join(sys.argv[1:])] if len(sys.argv) > 1 else sys.stdin):
        try:
            all_done &= answer(line)
        except Exception as e:  # What the GPU has raised leaves it of no more use to this process.
            say(error=f'{type(e).__name__}: {e}', kind='failed')
            return 1
    return 0 if all_done else 1


if __name__ == '__main__':
    sys.exit(main())

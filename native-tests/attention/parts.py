# Where warps of attention wait: of an ncu profile with --section SourceCounters, as
# `ncu --import FILE --page source --csv` prints it, the parts of the loop over key blocks, with their instructions, their
# share of the loop's samples and what warps waited for. Then: python3 parts.py FILE.csv NAME...
import csv, sys
kernels = []
for row in csv.reader(open(sys.argv[1])):
    if row and row[0] == 'Kernel Name': kernels.append([])
    elif row and row[0] == 'Address': head = row
    elif row and row[0].startswith('0x'): kernels[-1].append(dict(zip(head, row)))
for name, rows in zip(sys.argv[2:], kernels):
    # The loop: what is executed as often as most products are.
    counts = sorted(int(r['Instructions Executed']) for r in rows if 'HGMMA' in r['Source'])
    loop = [r for r in rows if abs(int(r['Instructions Executed']) - counts[-1]) < 0.1 * counts[-1]]
    last = max(i for i, r in enumerate(loop) if 'MUFU' in r['Source'])
    part, parts = 'products', {}
    for i, r in enumerate(loop):
        text = r['Source']
        if 'HGMMA' in text or 'WARPGROUP' in text: part = 'products'
        elif part == 'products' and 'FMNMX' in text: part = 'maxima'
        elif part == 'maxima' and 'MUFU' in text: part = 'powers'
        elif part == 'powers' and i > last and 'F2FP' in text and 'F2FP' in loop[i + 1]['Source']: part = 'packing'
        parts.setdefault(part, []).append(r)
    total = sum(int(r['# Samples']) for r in loop)
    for part, some in parts.items():
        samples = sum(int(r['# Samples']) for r in some)
        stalls = {c[6:]: sum(int(r[c] or 0) for r in some) for c in head if c.startswith('stall_') and 'Not' not in c}
        most = sorted(stalls.items(), key=lambda s: -s[1])[:4]
        print(f'{name}: {part}: {len(some)} instructions a turn, {100 * samples / total:.1f} % of the samples: '
              + ', '.join(f'{s} {100 * n / total:.1f} %' for s, n in most))

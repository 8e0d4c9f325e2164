# Writes kinds.inc: one device function per instruction kind that the recordings do not have yet.
W={'f16':2,'bf16':2,'tf32':4,'e4m3':1,'e5m2':1,'s8':1,'u8':1,'f64':8,'f32':4,'s32':4}
kinds=[]
def mma(m,k,a,b,d,sat=0): kinds.append(dict(kind='mma',m=m,n=8,k=k,a=a,b=b,d=d,sat=sat,sa=1,sb=1))
def wg(k,a,b,d,sat=0,sa=1,sb=1): kinds.append(dict(kind='wgmma',m=64,n=8,k=k,a=a,b=b,d=d,sat=sat,sa=sa,sb=sb))
for d in ('f32','f16'): mma(16,8,'f16','f16',d)
mma(16,8,'bf16','bf16','f32'); mma(16,4,'tf32','tf32','f32')
for k in (4,8,16): mma(16,k,'f64','f64','f64')
for m,k in ((8,16),(16,16),(16,32)):
    for a in ('s8','u8'):
        for b in ('s8','u8'):
            for sat in (0,1):
                if (m,k,sat)==(16,32,0) and a==b: continue
                mma(m,k,a,b,'s32',sat)
for a in ('e4m3','e5m2'):
    for b in ('e4m3','e5m2'):
        for k in (16,32):
            for d in ('f32','f16'):
                if k==32 and a==b and d=='f32': continue
                mma(16,k,a,b,d)
        for d in ('f32','f16'):
            if a==b and d=='f32': continue
            wg(32,a,b,d)
for a in ('s8','u8'):
    for b in ('s8','u8'):
        for sat in (0,1):
            if not sat and a==b: continue
            wg(32,a,b,'s32',sat)
for sa,sb in ((-1,1),(1,-1),(-1,-1)):
    wg(16,'f16','f16','f32',0,sa,sb)
    wg(16,'f16','f16','f16',0,sa,sb)
wg(16,'bf16','bf16','f32',0,-1,1); wg(8,'tf32','tf32','f32',0,1,-1); wg(32,'e4m3','e4m3','f32',0,-1,1)
out=[]
tab=[]
for i,q in enumerate(kinds):
    m,n,k=q['m'],q['n'],q['k']; wg_=q['kind']=='wgmma'; th=128 if wg_ else 32
    f64=q['a']=='f64'
    pa=max(1,4//W[q['a']]); pd=max(1,4//W[q['d']])
    ra=m*k//th//pa; rb=k*n//32//pa; rd=m*n//th//pd
    reg='unsigned long long' if f64 else 'unsigned'; cons='l' if f64 else 'r'
    if f64: reg='double'; cons='d'
    if q['d']=='f32': dreg,dc='float','f'
    elif f64: dreg,dc='double','d'
    else: dreg,dc='unsigned','r'
    L=[f'struct K{i} {{ static constexpr int M={m},N={n},K={k},WA={W[q["a"]]},WD={W[q["d"]]},RA={ra},RB={rb},RD={rd},TH={th}; static constexpr bool WG={"true" if wg_ else "false"};',
       f'  typedef {reg} R; typedef {dreg} D;',
       '  __device__ static void run(R* a, R* b, D* d, unsigned long long desc) {']
    ops='{'+','.join(f'%{j}' for j in range(rd))+'}'
    n0=rd
    aa='{'+','.join(f'%{n0+j}' for j in range(ra))+'}'; n0+=ra
    sat='.satfinite' if q['sat'] else ''
    if not wg_:
        bb='{'+','.join(f'%{n0+j}' for j in range(rb))+'}'
        txt=f'mma.sync.aligned.m{m}n{n}k{k}.row.col{sat}.{q["d"]}.{q["a"]}.{q["b"]}.{q["d"]} {ops}, {aa}, {bb}, {ops};'
        ins=', '.join(f'"{cons}"(a[{j}])' for j in range(ra))+', '+', '.join(f'"{cons}"(b[{j}])' for j in range(rb))
        outs=', '.join(f'"+{dc}"(d[{j}])' for j in range(rd))
        L.append(f'    asm volatile("{txt}" : {outs} : {ins});')
    else:
        desc=f'%{n0}'
        if q['d']=='s32': tail=f'p'
        elif W[q['a']]==2: tail=f'p, {q["sa"]}, {q["sb"]}, 0'
        else: tail=f'p, {q["sa"]}, {q["sb"]}'
        txt=f'wgmma.mma_async.sync.aligned.m64n8k{k}{sat}.{q["d"]}.{q["a"]}.{q["b"]} {ops}, {aa}, {desc}, {tail};'
        if q['d']=='s32': txt=f'wgmma.mma_async.sync.aligned.m64n8k{k}.s32.{q["a"]}.{q["b"]}{sat} {ops}, {aa}, {desc}, {tail};'
        ins=', '.join(f'"{cons}"(a[{j}])' for j in range(ra))+', "l"(desc)'
        outs=', '.join(f'"+{dc}"(d[{j}])' for j in range(rd))
        L.append('    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");')
        L.append(f'    asm volatile("{{ .reg .pred p; setp.eq.u32 p, 0, 0; {txt} }}" : {outs} : {ins} : "memory");')
        L.append('    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");')
    L.append('  } };')
    out.append('\n'.join(L))
    ty=f'{q["a"]}.{q["d"]}' if q['a']==q['b'] else f'{q["a"]}.{q["b"]}.{q["d"]}'
    tab.append(f'  go<K{i}>("{q["kind"]}", "m{m}n{n}k{k}", "{ty}", "{q["a"]}", "{q["b"]}", "{q["d"]}", {q["sat"]}, {q["sa"]}, {q["sb"]}, {20 if wg_ else 80});')
open('kinds.inc','w').write('\n'.join(out)+'\nvoid all() {\n'+'\n'.join(tab)+'\n}\n')
print(len(kinds))

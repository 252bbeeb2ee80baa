import numpy as np
from scipy.special import digamma, polygamma, stdtr, fdtrc, stdtrit
rng=np.random.default_rng(5)
def inv_trigamma(v):
    v=np.asarray(v,float); y=0.5+1/v
    for _ in range(30):
        t=polygamma(1,y); y=y+t*(1-t/v)/polygamma(2,y)
    return y
def scores(kind,N,n,C):
    z=rng.standard_normal((N,n,C)); base=.01
    unlike=base*np.exp(.6*rng.standard_normal((N,1,C)))
    hit=np.zeros(C); 
    E=lambda: rng.standard_exponential((N,n,C))-1
    def M(g,p=.2): return g*((rng.random((N,n,C))<p)-p)
    if kind=='alike': return base*z
    if kind=='unlike': return unlike*z
    if kind=='noisy third': return np.where(np.arange(C)<C//3,.03,.005)*z
    if kind=='t3': return unlike*rng.standard_t(3,(N,n,C))/np.sqrt(3)
    if kind=='spikes': return unlike*(z+20*((rng.random((N,n,C))<.02)-.02))
    if kind=='camps': return .01*z+np.where(np.arange(C)%2,.02,-.02)*rng.standard_normal((N,n,1))
    if kind=='layouts': return .003*z+M(.02,.3)
    if kind=='lay unlike': return unlike*(.3*z+2.2*((rng.random((N,n,C))<.3)-.3))
    if kind=='wild2': hit[-2:]=1; return base*z+hit*.25*E()
    if kind=='wild1': hit[-1:]=1; return base*z+hit*.25*E()
    if kind=='wild2 q': hit[-2:]=1; return .005*z+hit*.25*E()
    if kind=='wild 5%': hit[-2:]=1; return base*z+hit*.05*E()
    if kind=='qmodes': hit[-max(1,round(C/4)):]=1; return base*z+hit*M(.1)
    if kind=='qmodes q': hit[-max(1,round(C/4)):]=1; return .005*z+hit*M(.1)
    if kind=='1modes': hit[-1:]=1; return base*z+hit*M(.1)
KINDS=['alike','unlike','noisy third','t3','spikes','camps','layouts','lay unlike','wild1','wild2','wild2 q','wild 5%','qmodes','qmodes q']
def prior(var,d,C,error=True,trim=0.0):
    mid=np.median(var,1,keepdims=True); v=np.maximum(var,1e-3*mid)
    half=d/2
    logs=np.log(v)-digamma(half)+np.log(half)
    sq=(logs-logs.mean(1,keepdims=True))**2
    disp=sq.sum(1)/(logs.shape[1]-1); se=sq.std(1,ddof=1)/np.sqrt(logs.shape[1])
    exc=disp+se-polygamma(1,half)
    d0=np.where(exc>0,2*inv_trigamma(np.maximum(exc,1e-6)),1e7)
    loc=logs.mean(1)
    common=np.exp(loc+np.where(d0>1e6,0,digamma(d0/2)-np.log(d0/2)))
    return v,common[:,None],d0[:,None]
def robust_prior(var,d,C):
    """location & dispersion of the log variances by quantiles, so that a few wild ones do not matter"""
    v=np.maximum(var,1e-3*np.median(var,1,keepdims=True)); 
    q=np.quantile(np.log(v),[.1,.5,.9],axis=1)
    return v,q
def methods(var,d,C):
    out={}
    v,common,d0=prior(var,d,C)
    cap=np.minimum(np.minimum(d0,(C-3)/2),d)
    sh=(cap*common+d*v)/(cap+d)
    out['t']=(var,np.full_like(var,d))
    out['now']=(sh,np.broadcast_to(cap+d,var.shape))
    big=v>sh
    out['max']=(np.where(big,v,sh),np.where(big,d,cap+d))
    for p0 in (.5,.2,.1,.05):
        # own is an outlier above what the prior (scaled F) expects
        p=fdtrc(d,np.maximum(np.minimum(d0,1e4),1.),v/common)
        w=np.clip(p/p0,0,1)
        dd=cap*w
        out[f'w{p0}']=((dd*common+d*v)/(dd+d),dd+d)
        dd2=np.where(p<p0,0,cap)
        out[f'cut{p0}']=(np.where(p<p0,np.maximum(v,sh),sh),dd2+d)
    for p0 in (.2,.1):  # F against normal chi2 only
        p=fdtrc(d,1e4,v/common)
        out[f'chi{p0}']=((np.clip(p/p0,0,1)*cap*common+d*v)/(np.clip(p/p0,0,1)*cap+d),np.clip(p/p0,0,1)*cap+d)
    return out
def cell(kind,N,n,C,alpha=.01):
    res={}
    for part in range(max(1,N//500)):
        y=scores(kind,500,n,C); a,b=np.triu_indices(C,1); d=y[:,:,b]-y[:,:,a]
        m=d.mean(1); var=d.var(1,ddof=1); eff=.03*(b-a)
        for name,(vv,df) in methods(var,n-1.,C).items():
            se=np.sqrt(np.maximum(vv,1e-30)/n)
            p=2*stdtr(df,-np.abs(m)/se); fam=a.size
            near=(b-a)<=2
            p2=2*stdtr(df,-np.abs(m+eff)/se)
            r=res.setdefault(name,[0,0,0,0]); r[0]+=500; r[1]+=(p<=alpha/fam).any(1).sum(); r[2]+=(p2[:,near]<=alpha/fam).mean(1).sum(); r[3]+=(p2<=alpha/fam).mean(1).sum()
    return {k:(100*v[1]/v[0],100*v[2]/v[0],100*v[3]/v[0]) for k,v in res.items()}
if __name__=='__main__':
    import sys
    for C in (10,30):
        for n in (5,7,10):
            print('C',C,'n',n)
            names=None
            for kind in KINDS:
                c=cell(kind,2000 if C<30 else 1000,n,C)
                if names is None: names=list(c); print(' '*12,' '.join(f'{x:>13}' for x in names))
                print(f'{kind:12}',' '.join(f'{c[x][0]:5.1f}/{c[x][1]:3.0f}/{c[x][2]:3.0f}' for x in names),flush=True)

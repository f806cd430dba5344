package worker_test
import ("testing";"time";"context";"os";"syscall";"sync";"github.com/localpass/localpass/internal/worker")
func TestZZ(t *testing.T){
 if os.Getenv("ZZ")=="" {t.Skip()}
 var worst time.Duration
 var mu sync.Mutex
 var wg sync.WaitGroup
 for g:=0; g<4; g++ { wg.Add(1); go func(){ defer wg.Done()
 for i:=0;i<400;i++ {
  start:=time.Now()
  cfg:=config(); cfg.Handshake=4*time.Second
  // quit after 1.5 s to get a dump
  done:=make(chan struct{})
  var err error; var p *worker.Process
  go func(){ select{ case <-done: case <-time.After(1500*time.Millisecond): 
    ents,_:=os.ReadDir("/proc/self/task"); _=ents
    for _,pid:= range kids() { d,_:=os.ReadFile("/proc/"+pid+"/stat"); w,_:=os.ReadFile("/proc/"+pid+"/wchan"); s,_:=os.ReadFile("/proc/"+pid+"/syscall"); t.Logf("slow %s %.60s wchan %s syscall %s", pid,d,w,s); 
      th,_:=os.ReadDir("/proc/"+pid+"/task"); for _,x:=range th { d,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/stat"); w,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/wchan"); s,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/syscall"); t.Logf("   thread %.40s %s %s", d,w,s)}
      var n int; for _,c:=range pid { n=n*10+int(c-'0')}; syscall.Kill(n, syscall.SIGQUIT) } } }()
  p,err=worker.Start(context.Background(),cfg)
  close(done)
  d:=time.Since(start)
  mu.Lock(); worst=max(worst,d); mu.Unlock()
  if err!=nil { t.Log(err) ; continue}
  p.Stop(0)
 }}() }
 wg.Wait()
 b,_:=os.ReadFile("/proc/loadavg"); t.Log("worst", worst, string(b))
}
func kids() []string { var out []string; ts,_:=os.ReadDir("/proc/self/task"); for _,x:=range ts { b,_:=os.ReadFile("/proc/self/task/"+x.Name()+"/children"); cur:=""; for _,c:=range string(b)+" " { if c==' ' { if cur!="" {out=append(out,cur)}; cur="" } else {cur+=string(c)} } }; return out }

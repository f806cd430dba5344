package sandbox_test
import ("testing";"time";"os";"syscall";"strconv";"strings";"github.com/localpass/localpass/sandbox")
func TestZZ(t *testing.T){
 if os.Getenv("ZZ")=="" {t.Skip()}
 var worst time.Duration
 for i:=0;i<1000;i++ {
  start:=time.Now()
  done:=make(chan struct{})
  go func(){ select{ case <-done: case <-time.After(1200*time.Millisecond): 
    for _,n:= range children(t) { pid:=strconv.Itoa(n); 
      th,_:=os.ReadDir("/proc/"+pid+"/task"); for _,x:=range th { d,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/stat"); w,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/wchan"); s,_:=os.ReadFile("/proc/"+pid+"/task/"+x.Name()+"/syscall"); f:=strings.Fields(string(d)); t.Logf("   thread %v utime %s %s %s", f[:4],f[13:15],w,s)}
      syscall.Kill(n, syscall.SIGQUIT) } } }()
  s,err:=sandbox.New(&sandbox.Options{Workers:2})
  close(done)
  d:=time.Since(start)
  worst=max(worst,d)
  if err!=nil { t.Log(i,d,err) ; continue}
  s.Close()
 }
 b,_:=os.ReadFile("/proc/loadavg"); t.Log("worst", worst, string(b))
}

import{useEffect as mt,useRef as ut,useState as K}from"./core.js";import{get as be}from"./core.js";import{go as ht}from"./core.js";import{kept as B,useData as ye}from"./core.js";import{Check as ke,Copy as gt,Loading as ft,ProblemView as xe,Segments as _}from"./core.js";import{meta as vt,setTheme as wt,theme as bt}from"./core.js";import{singles as fe}from"./core.js";import{Page as yt}from"./core.js";import{useState as U}from"./core.js";import{get as Ae,post as $}from"./core.js";import{go as Te}from"./core.js";import{useData as Ie}from"./core.js";import{Foreign as Be}from"./core.js";import{Ago as Pe,bytes as De,Button as G,Copy as Ee,Loading as Le,ms as Me,ProblemView as Y}from"./core.js";import{Fragment as F,jsx as l,jsxs as S}from"./core.js";function Z(){let{data:e,error:n,reload:a}=Ie(t=>Ae("/api/diagnostics",t),[]),[o,s]=U(null),[p,w]=U(!1),[m,g]=U(null),u=async()=>{w(!0),g(null);try{s(await $("/api/diagnostics/check")),a()}catch(t){g(t)}w(!1)},f=o?.items??e?.checks??[],d=f.filter(t=>!t.ok).length;return S(F,{children:[n!==null&&l(Y,{error:n,retry:a}),!e&&n===null&&l(Le,{what:"the facts",lines:5}),e&&S("dl",{class:"kv",children:[l("dt",{children:"Version"}),S("dd",{children:[e.version,e.revision?", commit "+e.revision.slice(0,12):""]}),l("dt",{children:"Built with"}),S("dd",{children:[e.go,", ",e.system]}),l("dt",{children:"Page"}),l("dd",{class:"mono",children:e.assets}),l("dt",{children:"Started"}),l("dd",{children:l(Pe,{at:e.startedAt})}),l("dt",{children:"Sandbox"}),S("dd",{children:[[e.sandbox.runtime.id,e.sandbox.runtime.version,e.sandbox.runtime.tier].filter(Boolean).join(", "),e.sandbox.layers?.length?"; layers: "+e.sandbox.layers.join(", "):""]}),l("dt",{children:"Memory"}),S("dd",{children:[De(e.heapBytes)," in use"]}),l("dt",{children:"Sends home"}),l("dd",{children:"Nothing."})]}),e&&e.sandbox.weaker?.length>0&&S("details",{children:[S("summary",{"data-testid":"about-weaker",children:["What holds less on this machine (",e.sandbox.weaker.length,")"]}),l("ul",{class:"bullets",children:e.sandbox.weaker.map(t=>l("li",{class:"wrap",children:t}))})]}),l("h3",{children:"Self-check"}),l("p",{class:"hint",children:"It writes to the home, looks at the keys, runs a tool in the sandbox, follows the audit log from its beginning, and asks for the model."}),m!==null&&l(Y,{error:m,retry:()=>{u()}}),f.length>0&&S(F,{children:[l("p",{role:"status",class:d>0?"err":"ok","data-testid":"check-summary",children:d>0?d+" of "+f.length+" do not hold.":"All "+f.length+" hold."}),l("ul",{class:"checks","data-testid":"check-list",children:f.map(t=>S("li",{"data-testid":"check-row","data-id":t.id,"data-ok":t.ok?"yes":"no",children:[l("strong",{class:t.ok?"ok":"err",children:t.ok?"\u2713 holds":"\u2717 fails"}),S("span",{class:"wrap grow",children:[t.name,"."," ",l("span",{class:"muted",children:l(Be,{text:t.detail})}),t.remedy&&S(F,{children:[l("br",{}),t.remedy]})]}),l("span",{class:"muted num",children:Me(t.durationMs)})]}))})]}),l("div",{class:"row",children:l(G,{tid:"self-check",kind:"primary",busy:p,onClick:()=>{u()},children:"Run the self-check"})}),l("h3",{children:"For a report"}),l("p",{class:"hint",children:"Versions, settings, the sandbox, how servers and the model are, and the last self-check. No secret, no address of a server, nothing that was written or answered."}),S("div",{class:"row",children:[e&&l(Ee,{tid:"diagnostics-copy",text:JSON.stringify(e,null,2),label:"Copy diagnostics"}),l("a",{class:"btn small",href:"/api/diagnostics",download:"localpass-diagnostics.json","data-testid":"diagnostics-download",children:"Download diagnostics"})]}),l("h3",{children:"More"}),S("div",{class:"row",children:[l(G,{tid:"tour-again",onClick:()=>{$("/api/tour",{skipped:!1}).then(()=>Te("/"),g)},children:"Show the tour again"}),l("a",{class:"btn",href:"/api/openapi.json","data-testid":"about-api",children:"The API, OpenAPI 3.1"}),l("a",{class:"btn",href:"/assets/NOTICES.txt","data-testid":"about-notices",children:"Licences of the page"})]})]})}import{useEffect as Oe,useRef as Ne,useState as D}from"./core.js";import{get as j,post as X,send as ze}from"./core.js";import{useData as ee}from"./core.js";import{bytes as te,Button as M,Loading as Ke,ms as We,ProblemView as q,Text as Ue,toast as ae}from"./core.js";import{Foreign as R}from"./core.js";import{ApiError as Re}from"./core.js";async function*Ve(e){let n=e.pipeThrough(new TextDecoderStream).getReader(),a="",o="",s="";try{for(;;){let{value:p,done:w}=await n.read();if(w)return;a+=p;let m=0;for(let g=a.indexOf(`
`);g>=0;g=a.indexOf(`
`,m)){let u=a.slice(m,g).replace(/\r$/,"");m=g+1,u===""?(s!==""&&(yield{event:o,data:s}),o=s=""):u.startsWith("data:")?s+=(s===""?"":`
`)+u.slice(u[5]===" "?6:5):u.startsWith("event:")&&(o=u.slice(6).trim())}a=a.slice(m)}}finally{n.cancel().catch(()=>{})}}async function Q(e,n,a,o){let s=await fetch("/api/models/pull",{method:"POST",headers:{"Content-Type":"application/json",Accept:"text/event-stream"},body:JSON.stringify({provider:e,name:n}),signal:o});if(!s.ok||!s.body)throw new Re(await s.json(),s.status);for await(let p of Ve(s.body))a(p.event,JSON.parse(p.data))}import{jsx as c,jsxs as k}from"./core.js";var se={demo:"Demo",ollama:"Ollama",openai:"OpenAI",compatible:"OpenAI-compatible server"},Fe={demo:"A script that follows fixed rules, offline. It is not an AI.",ollama:"Models on this machine: install Ollama, then start it with: ollama serve",openai:"The key is OPENAI_API_KEY, from the environment or under Secrets.",compatible:"The server of -base-url."},je=[["tools","calls tools"],["vision","sees pictures"],["thinking","thinks"],["structuredOutput","answers in schemas"]];function oe(){let{data:e,error:n,loading:a,reload:o}=ee(t=>j("/api/models",t),[],["settings"]),s=ee(async t=>(await j("/api/home",t)).model,[],["settings"]),[p,w]=D({}),[m,g]=D(null),u=async(t,y)=>{g(null);try{await ze("PUT","/api/settings/model",{provider:t,name:y}),ae(y+" answers from now on, in new conversations."),s.reload()}catch(v){g(v)}},f=async t=>{w({...p,[t]:"\u2026"});let y=performance.now();try{let P=(await j("/api/models")).providers.find(T=>T.id===t);w({...p,[t]:P?.error?"":"It answers, in "+We(performance.now()-y)+"."}),await X("/api/settings/model/check"),o()}catch(v){w({...p,[t]:""}),g(v)}},d=e&&!e.providers.some(t=>t.id==="openai"||t.id==="compatible");return k("section",{class:"card stack","data-testid":"settings-models-section",children:[k("div",{class:"row spread",children:[c("h2",{children:"Models"}),c(M,{tid:"models-refresh",small:!0,busy:a,onClick:o,children:"Refresh"})]}),s.data&&k("p",{"data-testid":"model-now",children:["Now:"," ",k("strong",{children:[s.data.provider," \xB7 ",s.data.name||"no model"]})," ",k("span",{class:"muted",children:["(",s.data.why,")"]})]}),n!==null&&c(q,{error:n,retry:o}),m!==null&&c(q,{error:m}),!e&&n===null&&c(Ke,{what:"models"}),e?.providers.map(t=>{let y=e.items.filter(v=>v.provider===t.id&&!(v.default&&s.data?.name===""));return k("section",{class:"stack tight","aria-label":se[t.id]??t.id,"data-testid":"provider","data-id":t.id,children:[k("div",{class:"row spread",children:[c("h3",{children:se[t.id]??t.id}),c(M,{tid:"provider-test",dataId:t.id,small:!0,busy:p[t.id]==="\u2026",onClick:()=>{f(t.id)},children:"Test"})]}),t.error?c("p",{class:s.data?.provider===t.id?"note bad":"note","data-testid":"provider-error",children:c(R,{text:t.error})}):p[t.id]&&p[t.id]!=="\u2026"?c("p",{class:"ok",children:p[t.id]}):null,k("p",{class:"hint","data-testid":"provider-place",children:[Fe[t.id]," ",c(R,{text:s.data?.places?.[t.id]??""})]}),y.length>0&&k("table",{class:"cards",children:[c("thead",{children:k("tr",{children:[c("th",{scope:"col",children:"Model"}),c("th",{scope:"col",children:"Can"}),c("th",{scope:"col",children:"Context"}),c("th",{scope:"col",children:"Answers"})]})}),c("tbody",{children:y.map(v=>{let P=s.data?.provider===v.provider&&s.data?.name===v.name;return k("tr",{"data-testid":"model-row","data-id":v.provider+"/"+v.name,children:[c("td",{children:c(R,{text:v.name})}),c("td",{"data-label":"Can",class:"muted",children:je.filter(([T])=>v.capabilities?.[T]).map(([,T])=>T).join(", ")||"writes text"}),c("td",{"data-label":"Context",class:"num",children:v.contextTokens?v.contextTokens.toLocaleString("en"):"not known"}),c("td",{children:P?c("span",{class:"ok",children:"chosen"}):c(M,{tid:"model-use",dataId:v.provider+"/"+v.name,small:!0,onClick:()=>{u(v.provider,v.name)},children:"Use"})})]})})})]}),t.canPull&&!t.error&&c(qe,{provider:t.id,onDone:()=>{X("/api/settings/model/check").then(()=>(s.reload(),o()),g)}})]})}),d&&k("p",{class:"hint",children:["For OpenAI, set OPENAI_API_KEY under"," ",c("a",{href:"/settings/secrets","data-testid":"models-secrets",children:"Secrets"})," ","or in the environment, and start the playground again. For a compatible server, start it with -profile compatible -base-url URL."]})]})}function qe({provider:e,onDone:n}){let[a,o]=D(""),[s,p]=D(null),[w,m]=D(null),[g,u]=D(""),f=Ne(null);Oe(()=>()=>f.current?.abort(),[]);let d=async()=>{m(null),u(""),f.current=new AbortController,p({status:"begins",completed:0,total:0});try{await Q(e,a,(t,y)=>{t==="error"?u(a+" could not be fetched: "+(y.message||y.code)+". Check its name, and that its registry can be reached."):t==="done"?ae("Fetched "+a+"."):p({status:y.status,completed:y.completed??0,total:y.total??0})},f.current.signal),n()}catch(t){f.current.signal.aborted||m(t)}p(null)};return k("form",{class:"stack tight",onSubmit:t=>(t.preventDefault(),void d()),children:[c(Ue,{tid:"pull-name",label:"Fetch a model",value:a,placeholder:"qwen3:0.6b",onInput:o}),s&&k("label",{class:"stack tight","data-testid":"pull-progress",children:[k("span",{class:"hint num",children:[c(R,{text:s.status}),s.total>0?", "+te(s.completed)+" of "+te(s.total):""]}),c("progress",{"aria-label":"How much is there",max:s.total||void 0,value:s.total?s.completed:void 0})]}),w!==null&&c(q,{error:w,retry:()=>{d()}}),g!==""&&c("p",{class:"note bad",role:"alert","data-testid":"pull-error",children:c(R,{text:g})}),k("div",{class:"row",children:[c(M,{tid:"pull-start",type:"submit",busy:s!==null,disabled:a.trim()==="",children:"Fetch"}),s&&c(M,{tid:"pull-stop",onClick:()=>f.current?.abort(),children:"Stop"})]})]})}import{useState as O}from"./core.js";import{get as He,send as ne}from"./core.js";import{useData as _e}from"./core.js";import{Ago as Je,Button as V,Dialog as $e,Loading as Ge,ProblemView as re,Text as ie,toast as Ye}from"./core.js";import{jsx as h,jsxs as A}from"./core.js";var Ze={stored:"stored here",environment:"from the environment",missing:"no value"};function de(){let{data:e,error:n,reload:a}=_e(t=>He("/api/secrets",t),[],["settings","tools","servers"]),[o,s]=O(""),[p,w]=O(""),[m,g]=O(null),[u,f]=O(null),d=async()=>{g(null);try{await ne("PUT","/api/secrets/"+encodeURIComponent(o),{value:p}),s(""),w(""),Ye("Stored a value for "+o+"."),a()}catch(t){g(t)}};return A("section",{class:"card stack",children:[h("h2",{children:"Secrets"}),h("p",{class:"hint",children:"Tools and connections name them as ${NAME}. A value is sealed in the home of this program, comes before the environment, and is never shown again."}),n!==null&&h(re,{error:n,retry:a}),!e&&n===null&&h(Ge,{what:"secrets",lines:3}),e&&e.items.length>0&&A("table",{class:"cards",children:[h("thead",{children:A("tr",{children:[h("th",{scope:"col",children:"Name"}),h("th",{scope:"col",children:"Value"}),h("th",{scope:"col",children:"Used by"}),h("th",{scope:"col",children:h("span",{class:"vh",children:"Actions"})})]})}),h("tbody",{children:e.items.map(t=>A("tr",{"data-testid":"secret-row","data-id":t.name,"data-origin":t.origin,children:[h("td",{children:h("code",{children:t.name})}),A("td",{"data-label":"Value",class:t.origin==="missing"?"err":"",children:[t.origin==="missing"?"":"\u2022\u2022\u2022\u2022 ",Ze[t.origin]," ",t.updatedAt&&A("span",{class:"muted",children:["since ",h(Je,{at:t.updatedAt})]})]}),h("td",{"data-label":"Used by",children:t.usedBy.join(", ")||"nothing"}),h("td",{children:A("span",{class:"row",children:[h(V,{tid:"secret-replace",small:!0,onClick:()=>s(t.name),children:t.origin==="stored"?"Replace":"Set"}),t.origin==="stored"&&h(V,{tid:"secret-delete",small:!0,kind:"danger",onClick:()=>f(t),children:"Delete"})]})})]}))})]}),e?.items.length===0&&h("p",{class:"muted",children:"No tool and no server names one."}),A("form",{class:"stack tight",onSubmit:t=>(t.preventDefault(),void d()),children:[A("div",{class:"two",children:[h(ie,{tid:"secret-name",label:"Name",mono:!0,value:o,onInput:s,error:o!==""&&!/^[A-Za-z_]\w{0,127}$/.test(o)?"Letters, digits and _; no digit first.":void 0}),h(ie,{tid:"secret-value",label:"Value",type:"password",value:p,onInput:w})]}),m!==null&&h(re,{error:m}),h("div",{class:"row",children:h(V,{tid:"secret-save",kind:"primary",type:"submit",disabled:o===""||p==="",children:"Store"})})]}),u&&A($e,{tid:"secret-dialog",title:"Delete the value of "+u.name+"?",onClose:()=>f(null),children:[A("p",{children:[u.usedBy.length>0?u.usedBy.join(", ")+" cannot run without it.":"Nothing uses it."," ","It cannot be brought back."]}),A("footer",{children:[h(V,{tid:"secret-cancel",onClick:()=>f(null),children:"Keep it"}),h(V,{tid:"secret-confirm",kind:"danger",onClick:()=>{ne("DELETE","/api/secrets/"+encodeURIComponent(u.name)).then(()=>(f(null),a()),g)},children:"Delete value"})]})]})]})}import{Dialog as ns}from"./core.js";import{known as Xe,sheetOpen as is,singles as ce}from"./core.js";import{adopt as et}from"./core.js";var le=`.keys {
  columns: 2;
  column-gap: 32px;
}
.keys section {
  break-inside: avoid;
  margin-block-end: 16px;
}
.keys section > h3 {
  margin-block: 0 4px;
}
.keys dl > div {
  display: grid;
  grid-template-columns: 120px minmax(0, 1fr);
  gap: 12px;
  padding: 4px 0;
  align-items: baseline;
}
.keys dt {
  display: flex;
  gap: 4px;
  flex-wrap: wrap;
}
.keys .off {
  color: var(--subtle);
}
.keys .off kbd {
  text-decoration: line-through;
}
@media (max-width: 1279px) {
  .keys dl > div {
    grid-template-columns: 88px minmax(0, 1fr);
  }
}
@media (max-width: 899px) {
  .keys {
    columns: 1;
  }
  .keys dl > div {
    grid-template-columns: 120px minmax(0, 1fr);
  }
}
`;import{jsx as E,jsxs as H}from"./core.js";et(le);function pe(){let e=Xe(),n=[...new Set(e.map(a=>a.where))];return E("div",{class:"keys","data-testid":"shortcut-list",children:n.map(a=>H("section",{"aria-label":a,children:[E("h3",{children:a}),E("dl",{children:e.filter(o=>o.where===a).map(o=>H("div",{class:o.single&&!ce.value?"off":"","data-testid":"shortcut-row",children:[E("dt",{children:o.keys.split(" ").map(s=>E("kbd",{children:s}))}),H("dd",{children:[o.what,o.single&&!ce.value&&E("span",{class:"muted",children:" (off)"})]})]}))})]}))})}import{useRef as tt,useState as L}from"./core.js";import{ApiError as st,get as at,post as ot,send as nt}from"./core.js";import{useData as rt}from"./core.js";import{Button as I,bytes as N,Dialog as me,Loading as it,ProblemView as z,Text as dt}from"./core.js";import{Fragment as ct,jsx as i,jsxs as C}from"./core.js";var ue={tools:"Tools and passes",conversations:"Conversations",servers:"Servers",approvals:"Approvals",logs:"Logs",secrets:"Keys and secrets",workspace:"Workspace of tools",before:"What the last restore replaced",other:"Other"};async function lt(e){let n=await fetch("/api/storage/restore",{method:"POST",headers:{"Content-Type":"application/zip",Accept:"application/json"},body:e,credentials:"same-origin"}),a=await n.text();if(!n.ok)throw new st(JSON.parse(a),n.status);return JSON.parse(a)}function he(){let{data:e,error:n,reload:a}=rt(x=>at("/api/storage",x),[],["settings"]),[o,s]=L(""),[p,w]=L(null),[m,g]=L(""),[u,f]=L(!1),[d,t]=L(null),[y,v]=L(null),P=tt(null),T=()=>(s(""),w(null),g(""),t(null)),J=async x=>{f(!0),t(null);try{v(await x()),T(),a()}catch(Ce){t(Ce)}f(!1)};if(n!==null&&!e)return i(z,{error:n,retry:a});if(!e)return i(it,{what:"the sizes",lines:4});let Se=Math.max(1,...e.parts.map(x=>x.bytes));return C(ct,{children:[C("dl",{class:"kv",children:[i("dt",{children:"Home"}),i("dd",{children:i("code",{"data-testid":"storage-home",children:e.home})}),i("dt",{children:"Workspace"}),i("dd",{children:i("code",{children:e.workspace})}),i("dt",{children:"Holds"}),i("dd",{class:"num","data-testid":"storage-total",children:N(e.bytes)})]}),i("ul",{class:"sizes","aria-label":"What takes the room",children:e.parts.map(x=>C("li",{"data-testid":"storage-part","data-id":x.id,children:[i("span",{children:ue[x.id]??x.id}),i("meter",{min:0,max:Se,value:x.bytes,"aria-label":ue[x.id]??x.id}),i("span",{class:"num",children:N(x.bytes)})]}))}),y&&i("p",{class:"note mid",role:"status","data-testid":"storage-taken",children:y.restarting?"The program begins anew. This page reconnects by itself.":"It is done at the next start of the program."}),e.pending&&!y?.restarting&&C("div",{class:"note mid row","data-testid":"storage-pending",children:[i("span",{class:"grow",children:e.pending==="restore"?"A backup is brought back at the next start.":"The home is emptied at the next start."}),i(I,{tid:"storage-keep",small:!0,onClick:()=>{nt("DELETE","/api/storage/pending").then(a,t)},children:"Leave it as it is"})]}),d!==null&&o===""&&i(z,{error:d}),i("h3",{children:"Backup"}),i("p",{class:"hint",children:"Tools and their passes, conversations, servers, approvals and logs, as one ZIP file. Keys, secrets, the workspace and the file of settings are not in it."}),C("div",{class:"row",children:[i("a",{class:"btn",href:"/api/storage/backup",download:!0,"data-testid":"backup-download",children:"Download a backup"}),i(I,{tid:"backup-restore",onClick:()=>s("restore"),children:"Bring a backup back\u2026"})]}),i("h3",{children:"Reset"}),i("p",{class:"hint",children:"Removes everything of the home but the workspace and the file of settings."}),i("div",{class:"row",children:i(I,{tid:"storage-reset",kind:"danger",onClick:()=>s("reset"),children:"Reset the home\u2026"})}),o==="restore"&&C(me,{tid:"restore-dialog",title:"Bring a backup back?",onClose:T,children:[C("p",{children:["It takes the place of all tools, passes, conversations, servers, approvals and logs. What is there now is moved to ",i("code",{children:"_before"})," in the home. Keys, secrets and the workspace stay."]}),i("p",{children:"What it allows unasked is not trusted: its servers wait until you connect them, and its policies and grants that let calls run without a question are left out."}),C("p",{children:[e.restarts?"The program begins anew for that; calls that run now end.":"It is done at the next start of the program."," ","Close other programs that use this home."]}),i("input",{ref:P,type:"file",accept:".zip,application/zip",class:"vh",tabIndex:-1,"aria-label":"Backup","data-testid":"restore-file",onChange:x=>(w(x.currentTarget.files?.[0]??null),t(null))}),C("div",{class:"row",children:[i(I,{tid:"restore-choose",onClick:()=>P.current?.click(),children:"Choose a file"}),i("span",{class:"wrap muted","data-testid":"restore-name",children:p?p.name+", "+N(p.size):"No file is chosen."})]}),d!==null&&i(z,{error:d}),C("footer",{children:[i(I,{tid:"restore-cancel",onClick:T,children:"Cancel"}),i(I,{tid:"restore-confirm",kind:"primary",busy:u,disabled:!p,onClick:()=>{J(()=>lt(p))},children:"Bring it back"})]})]}),o==="reset"&&C(me,{tid:"reset-dialog",title:"Reset the home?",onClose:T,children:[C("p",{children:["All tools, passes, conversations, servers, approvals, keys, secrets and logs in"," ",i("code",{children:e.home})," are removed: ",N(e.bytes),". This cannot be undone."," ",i("a",{href:"/api/storage/backup",download:!0,"data-testid":"reset-backup",children:"Download a backup first"}),"."]}),i(dt,{tid:"reset-word",label:"Type reset to confirm",value:m,onInput:g}),d!==null&&i(z,{error:d}),C("footer",{children:[i(I,{tid:"reset-cancel",onClick:T,children:"Keep everything"}),i(I,{tid:"reset-confirm",kind:"danger",busy:u,disabled:m!=="reset",onClick:()=>{J(()=>ot("/api/storage/reset",{confirm:m}))},children:"Remove everything"})]})]})]})}import{adopt as kt}from"./core.js";var ge=`.checks {
  display: grid;
  gap: 0;
}
.checks li {
  display: flex;
  align-items: baseline;
  gap: 12px;
  padding: 8px 0;
  border-top: 1px solid var(--line);
  min-width: 0;
}
.checks li:first-child {
  border-top: 0;
}
.checks li > strong {
  flex: none;
  width: 72px;
  font-weight: 500;
}
.settings {
  display: grid;
  grid-template-columns: 216px minmax(0, 1fr);
  gap: 24px;
  align-items: start;
}
.settings > :last-child {
  max-width: 880px;
}
.settings-nav {
  display: grid;
  gap: 2px;
}
.settings-nav button {
  font: inherit;
  width: 100%;
  text-align: start;
  background: none;
  border: 0;
  color: var(--muted);
  padding: 6px 10px;
  min-height: 32px;
  border-radius: var(--r);
  cursor: pointer;
  white-space: nowrap;
}
.settings-nav button:hover {
  background: var(--hover);
  color: var(--text);
}
.settings-nav button[aria-current] {
  background: var(--hover);
  color: var(--text);
  font-weight: 600;
}
.settings-rows {
  display: grid;
  gap: 8px;
}
.settings-rows > ul > li {
  display: grid;
  grid-template-columns: minmax(0, 5fr) minmax(0, 4fr) minmax(0, 5fr);
  gap: 4px 16px;
  padding: 10px 0;
  border-top: 1px solid var(--line);
  align-items: baseline;
}
.settings-rows .what,
.settings-rows .from {
  display: grid;
  gap: 2px;
  justify-items: start;
}
.sizes {
  display: grid;
  gap: 8px;
}
.sizes li {
  display: grid;
  grid-template-columns: minmax(120px, 220px) minmax(60px, 1fr) 72px;
  gap: 12px;
  align-items: center;
}
.sizes meter {
  width: 100%;
  height: 12px;
}
.sizes .num {
  text-align: end;
}
.bullets {
  list-style: disc;
  padding-inline-start: 20px;
  display: grid;
  gap: 4px;
}
.settings-rows .origin {
  border: 1px solid var(--line);
  border-radius: var(--r);
  padding: 0 8px;
  font-size: var(--t1);
  line-height: 1.25rem;
  background: var(--bg);
}
.settings h3 {
  margin-block-start: 8px;
}
.settings h3 + .hint {
  margin-block-start: calc(8px - var(--gap));
}
@media (max-width: 899px) {
  .settings {
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
  }
  .settings-nav {
    grid-auto-flow: column;
    justify-content: start;
    overflow-x: auto;
    padding-block-end: 4px;
  }
}
@media (max-width: 719px) {
  .settings-rows > ul > li {
    grid-template-columns: minmax(0, 1fr);
  }
  .sizes li {
    grid-template-columns: minmax(0, 1fr) 80px;
  }
  .sizes meter {
    grid-column: 1 / -1;
    grid-row: 2;
  }
}
`;import{Fragment as W,jsx as r,jsxs as b}from"./core.js";kt(ge);function xt({list:e,section:n}){let a=e.filter(o=>o.section===n);return a.length===0?null:b("div",{class:"settings-rows","data-testid":"settings-rows","data-id":n,children:[r("p",{class:"hint",children:"Read at the start: flags first, then the environment, then the file. A change counts from the next start on."}),r("ul",{children:a.map(o=>b("li",{"data-testid":"setting-row","data-id":o.name,"data-origin":o.origin,children:[b("span",{class:"what",children:[o.help,r("span",{class:"hint mono",children:o.name})]}),r("code",{class:"value wrap",children:o.value||"\u2013"}),b("span",{class:"from",children:[r("span",{class:"origin"+(o.origin==="default"?" muted":""),children:o.origin}),r("span",{class:"hint wrap",children:St(o)})]})]}))})]})}function St(e){switch(e.origin){case"flag":return"Given as "+e.source+"; restart to change it.";case"environment":return"Set by "+e.source+"; it is changed there, and needs a restart.";case"file":return"Set in "+e.source+"; restart after a change."}let n=[e.source??"",e.variable??"",e.member?'"'+e.member+'" in the file':""].filter(Boolean);return n.length===0?"":"Change it by "+n.join(", ")+"; restart."}function Ct(){let[e,n]=K(B.read("lp-density")??"comfortable");return b(W,{children:[r(_,{tid:"theme",label:"Theme",value:bt.value,options:[["system","System"],["light","Light"],["dark","Dark"]],onChange:wt}),r(_,{tid:"density",label:"Density",value:e,options:[["comfortable","Comfortable"],["compact","Compact"]],onChange:a=>{n(a),B.write("lp-density",a==="compact"?a:null),a==="compact"?document.documentElement.dataset.density="compact":delete document.documentElement.dataset.density}}),r("p",{class:"hint",children:"Kept in this browser. It counts at once."})]})}function At(){return b(W,{children:[r(ke,{tid:"singles",checked:fe.value,onChange:e=>(fe.value=e,B.write("lp-singles",e?null:"off")),children:"Single-key shortcuts (g t, n, /, ?)"}),r("p",{class:"hint",children:"Kept in this browser. It counts at once."}),r(pe,{})]})}var ve=[["","Default"],["off","Off"],["low","Low"],["medium","Medium"],["high","High"],["max","Most"]];function Tt(){let[e,n]=K(B.read("lp-effort")??""),[a,o]=K(B.read("lp-demo-strip")!=="off");return b(W,{children:[r(_,{tid:"settings-effort",label:"How much a model thinks, in new turns",value:ve.some(([s])=>s===e)?e:"",options:ve,onChange:s=>(n(s),B.write("lp-effort",s||null))}),r(ke,{tid:"chat-strip",checked:a,onChange:s=>(o(s),B.write("lp-demo-strip",s?null:"off")),children:"Say above each chat that the demo is a script"}),b("p",{class:"hint",children:["Kept in this browser. It counts from the next page on. The model is chosen under"," ",r("a",{href:"/settings/models","data-testid":"chat-models",children:"Models"}),", presets and templates in the chat itself."]})]})}function It(){return b("p",{children:["What a tool may do is decided by its spec, its pass and the level of its risk; who is asked is decided by"," ",r("a",{href:"/approvals/policies","data-testid":"safety-policies",children:"policies"})," ","and"," ",r("a",{href:"/approvals/grants","data-testid":"safety-grants",children:"grants"}),"."]})}function Bt(){let e=ye(n=>be("/api/meta",n),[]);return e.error!==null?r(xe,{error:e.error,retry:e.reload}):e.data?b(W,{children:[b("div",{class:"endpoint",children:[r("code",{title:e.data.endpoint,children:e.data.endpoint}),r(gt,{tid:"mcp-endpoint-copy",text:e.data.endpoint})]}),b("dl",{class:"kv",children:[r("dt",{children:"Identity"}),b("dd",{children:["localpass-built-in-mcp, ",e.data.version]}),r("dt",{children:"Access"}),r("dd",{"data-testid":"mcp-access",children:e.data.mcpAuth?"Clients send a token as Authorization: Bearer. It opens nothing but this endpoint.":"Every program of this machine gets in; others cannot reach it. A token is wanted once -mcp-token is given."})]}),b("div",{class:"row",children:[r("a",{class:"btn",href:"/servers/builtin?connect=1","data-testid":"mcp-connect",children:"Add to your editor"}),r("a",{class:"btn",href:"/servers/builtin","data-testid":"mcp-card",children:"Tools and clients"})]})]}):r(ft,{what:"the endpoint",lines:2})}function Pt(){let e=vt.value;return r("p",{"data-testid":"network-state",children:e?.exposed?"Others than this machine can reach this program. They need the token.":"Only this machine can reach this program. Requests by other names and from other sites are refused."})}function Dt(){return r("p",{children:"Nothing leaves this machine. Traces and metrics are counted in this program alone, and nothing is sent to anybody."})}var we=[{id:"models",name:"Models",words:"provider ollama openai demo pull download default model llm",View:oe},{id:"appearance",name:"Appearance",words:"theme dark light density compact",View:Ct},{id:"keyboard",name:"Keyboard",words:"shortcuts keys single letters",View:At},{id:"chat",name:"Chat defaults",words:"effort reasoning thinking demo strip presets",View:Tt},{id:"safety",name:"Safety",words:"timeouts policies grants allow host path sandbox",View:It},{id:"secrets",name:"Secrets",words:"api key token password environment variable",View:de},{id:"mcp",name:"MCP server",words:"endpoint identity access token clients",View:Bt},{id:"network",name:"Network and access",words:"address port host names tls token login",View:Pt},{id:"storage",name:"Storage",words:"home workspace paths sizes backup restore reset delete",View:he},{id:"telemetry",name:"Telemetry",words:"tracking privacy traces metrics otlp",View:Dt},{id:"about",name:"About",words:"version licences diagnostics self-check tour api",View:Z}],Et=new Set(["models","secrets"]);function Lt({part:e,list:n}){let a=r(xt,{list:n,section:e.id});return Et.has(e.id)?b("div",{class:"stack","data-testid":"settings-section","data-id":e.id,children:[r(e.View,{}),n.some(o=>o.section===e.id)&&r("section",{class:"card stack","aria-label":e.name+" at the start",children:a})]}):b("section",{class:"card stack","aria-labelledby":"section-"+e.id,"data-testid":"settings-section","data-id":e.id,children:[r("h2",{id:"section-"+e.id,children:e.name}),r(e.View,{}),a]})}function Rs({args:e}){let[n,a]=K(""),o=ye(d=>be("/api/settings",d),[],["settings"]),s=o.data?.items??[],w={"":"models",configuration:"storage"}[e[0]??""]??e[0],m=n.toLowerCase().split(/\s+/).filter(Boolean),g=d=>[d.name,d.words,...s.filter(t=>t.section===d.id).map(t=>[t.name,t.help,t.member,t.variable,t.value].join(" "))].join(" ").toLowerCase(),u=we.filter(d=>m.length===0?d.id===w:m.every(t=>g(d).includes(t))),f=ut(null);return mt(()=>f.current?.querySelector('[aria-current="true"]')?.scrollIntoView({block:"nearest",inline:"nearest"}),[w]),r(yt,{title:"Settings",children:b("div",{class:"settings",children:[b("div",{class:"stack tight",children:[r("input",{class:"input",type:"search","data-filter":!0,"aria-label":"Search settings",placeholder:"Search settings   /","data-testid":"settings-search",value:n,onInput:d=>a(d.currentTarget.value),onKeyDown:d=>d.key==="Escape"&&n!==""&&(d.preventDefault(),a(""))}),r("ul",{class:"settings-nav",ref:f,children:we.map(d=>r("li",{children:r("button",{type:"button","data-row":!0,"data-testid":"settings-"+d.id,"aria-current":m.length===0&&d.id===w?"true":void 0,onClick:()=>(a(""),ht("/settings/"+d.id)),children:d.name})}))})]}),b("div",{class:"stack",children:[o.error!==null&&r(xe,{error:o.error,retry:o.reload}),u.map(d=>r(Lt,{part:d,list:s},d.id)),u.length===0&&b("div",{class:"empty","data-testid":"settings-none",children:[r("h2",{children:m.length>0?'No setting matches "'+n.trim()+'"':"There is no such section"}),r("p",{children:m.length>0?"Look for another word, or choose a section.":"Choose one of the list."})]})]})]})})}export{Rs as Settings};

import{useEffect as Xe,useRef as Kt,useState as P}from"./core.js";import{ApiError as qe,get as Ye,post as Je,send as Vt}from"./core.js";import{go as Zt}from"./core.js";import{Page as Qe}from"./core.js";import{useData as et}from"./core.js";import{Button as E,Dialog as Gt,Loading as qt,ProblemView as tt,Segments as Jt,toast as pe}from"./core.js";import{adopt as Xt}from"./core.js";import{Check as fe,Text as F}from"./core.js";import{jsx as k,jsxs as ve}from"./core.js";var q=e=>e===""||/^[A-Za-z0-9._-]{1,64}$/.test(e)?"":"Use 1 to 64 letters, digits, dots, - and _.";function be({given:e,form:t,set:n}){return ve("section",{class:"card stack",children:[k(F,{tid:"server-id",label:"Id",mono:!0,value:t.id,readOnly:e!=="",onInput:i=>n({id:i}),error:q(t.id)||void 0,hint:"Its tools are called id_name unless you set a prefix."}),k(F,{tid:"server-name",label:"Name",value:t.name,onInput:i=>n({name:i})}),k(F,{tid:"server-description",label:"Description",lines:2,value:t.description,onInput:i=>n({description:i})}),ve("div",{class:"two",children:[k(F,{tid:"server-category",label:"Category",value:t.category,onInput:i=>n({category:i})}),k(F,{tid:"server-tags",label:"Tags",value:t.tags,onInput:i=>n({tags:i})})]}),k(F,{tid:"server-timeout",label:"Call timeout (ms)",value:t.timeoutMs,onInput:i=>n({timeoutMs:i.replace(/\D/g,"")}),hint:"Default 15,000."}),k(fe,{tid:"server-disabled",checked:t.disabled,onChange:i=>n({disabled:i}),children:"Disabled"}),k(fe,{tid:"server-auto",checked:t.auto,disabled:t.disabled,onChange:i=>n({auto:i}),children:"Connect when the playground starts"})]})}import{parse as ot}from"./core.js";var we=()=>({id:"",name:"",description:"",category:"",tags:"",transport:"http",url:"",endpoint:"",headers:[],command:"",args:[],env:[],cwd:"",timeoutMs:"",disabled:!1,auto:!1,oauth:null,only:null,except:"",prefix:"",rest:{}}),b=e=>[...new Set(e.split(/\r?\n/).filter(t=>t.trim()!==""))],J=e=>e.toLowerCase().replace(/[^a-z0-9]+/g,"_").replace(/^_+|_+$/g,"")||"s",N=e=>e!==null&&typeof e=="object"?Object.entries(e).map(([t,n])=>({name:t,value:String(n)})):[],ye=e=>Object.fromEntries(e.filter(t=>t.name.trim()!=="").map(t=>[t.name.trim(),t.value])),rt=e=>e!==null&&typeof e=="object"&&!Array.isArray(e)?e:null;function X(e){let t={...e.connection},n=o=>{let a=t[o];return delete t[o],a},i=e.transport||e.status.endpoint.kind||("command"in t?"stdio":"http");return{id:e.id,name:e.name??"",description:e.description??"",category:e.category??"",tags:(e.tags??[]).join(", "),transport:i,url:String(n("url")??""),endpoint:String(n("endpoint")??""),headers:N(n("headers")),command:String(n("command")??""),args:(n("args")??[]).map(String),env:N(n("env")),cwd:String(n("cwd")??""),timeoutMs:e.timeoutMs?String(e.timeoutMs):"",disabled:e.disabled??!1,auto:e.autoConnect??!1,oauth:rt(n("oauth")),only:e.toolSelection?.only?.join(`
`)??null,except:(e.toolSelection?.except??[]).join(`
`),prefix:e.toolPrefix??"",rest:t}}function at(e){return e.transport==="stdio"?{...e.rest,command:e.command,...e.args.length?{args:e.args}:{},...e.env.length?{env:ye(e.env)}:{},...e.cwd?{cwd:e.cwd}:{}}:{...e.rest,url:e.url,...e.endpoint?{endpoint:e.endpoint}:{},...e.headers.length?{headers:ye(e.headers)}:{},...e.oauth?{oauth:e.oauth}:{}}}var Y=(e,t)=>({id:e.id,name:e.name,description:e.description,category:e.category,tags:e.tags.split(",").map(n=>n.trim()).filter(Boolean),transport:e.transport,connection:at(e),timeoutMs:Number(e.timeoutMs)||0,disabled:e.disabled,autoConnect:e.auto,toolSelection:{...e.only===null?{}:{only:b(e.only)},...b(e.except).length?{except:b(e.except)}:{}},toolPrefix:e.prefix,...t?{version:t}:{}}),st=(e,t)=>t!==""&&!t.includes("${")&&t!=="***"&&(/auth|token|key|secret|password|cookie/i.test(e)||/^(Bearer|Basic)\s/i.test(t));function xe(e,t){if(!st(t.name,t.value))return null;let n=/^((?:Bearer|Basic)\s+)?(.*)$/is.exec(t.value),i=(e||"server").toUpperCase().replace(/[^A-Z0-9]+/g,"_")+"_"+t.name.toUpperCase().replace(/[^A-Z0-9]+/g,"_");return{pair:{name:t.name,value:(n[1]??"")+"${"+i+"}"},name:i,value:n[2]}}function O(e){let t=ot(e);if(!("value"in t)||t.value===null||typeof t.value!="object")return null;let n=t.value,i=n.mcpServers??n.servers,o="";if(i&&typeof i=="object"){let r=Object.entries(i)[0];if(!r)return null;[o,n]=r}else{let r=Object.entries(n);r.length===1&&r[0][1]&&typeof r[0][1]=="object"&&("url"in r[0][1]||"command"in r[0][1]||"httpUrl"in r[0][1])&&([o,n]=r[0])}let a=n.url??n.httpUrl??n.serverUrl;return typeof n.command=="string"?{id:o,transport:"stdio",command:n.command,args:Array.isArray(n.args)?n.args.map(String):[],env:N(n.env),cwd:String(n.cwd??"")}:typeof a=="string"?{id:o,transport:n.type==="sse"?"sse":"http",url:a,endpoint:"",headers:N(n.headers??n.http_headers)}:null}import{get as lt}from"./core.js";import{useData as dt}from"./core.js";import{Foreign as Se}from"./core.js";import{Check as ct,Segments as pt,Text as Q}from"./core.js";var ke=e=>"/api/mcp/servers/"+encodeURIComponent(e);import{Fragment as ut,jsx as g,jsxs as A}from"./core.js";var ee=300,te=e=>e===""||/^[a-z][a-z0-9_-]{0,31}$/.test(e)?"":"Use 1 to 32 of a-z, 0-9, _ and -, and begin with a letter.",Ce=(e,t)=>(e.only===null||b(e.only).includes(t))&&!b(e.except).includes(t);function Ie({given:e,form:t,set:n}){let i=dt(async l=>e?lt(ke(e)+"/capabilities",l):null,[e],["servers"]),o=i.data&&i.data.syncStatus!=="NEVER_SYNCED"?i.data.tools.map(l=>l.key):null,a=o?.filter(l=>Ce(t,l)).length??0,r=o?[...b(t.only??""),...b(t.except)].filter(l=>!o.includes(l)):[],d=(l,v)=>b(l).filter(h=>h!==v).join(`
`),c=(l,v)=>{let h=K=>[...b(K),l].join(`
`);v?n({except:d(t.except,l),only:t.only===null||b(t.only).includes(l)?t.only:h(t.only)}):t.only!==null?n({only:d(t.only,l)}):n({except:h(t.except)})},s=te(t.prefix);return A("section",{class:"card stack","aria-labelledby":"server-tools-title",children:[g("h2",{id:"server-tools-title",children:"Tools"}),g(pt,{tid:"server-take",label:"Include",value:t.only===null?"all":"only",options:[["all","All it offers"],["only","Only those named"]],onChange:l=>n({only:l==="all"?null:""})}),t.only!==null&&g(Q,{tid:"server-only",label:"Included tools",mono:!0,lines:3,value:t.only,onInput:l=>n({only:l}),hint:"One name on a line, as the server spells it. Without a name none is included."}),g(Q,{tid:"server-except",label:"Exclude",mono:!0,lines:2,value:t.except,onInput:l=>n({except:l}),hint:"One name on a line. What is left out is not offered, and a call of it is refused."}),o&&A("p",{class:"hint",role:"status","data-testid":"server-taken",children:[a," of ",o.length," tools are included.",r.length>0&&A("span",{class:"warn",children:[" ","The server does not offer now:"," ",g(Se,{text:r.slice(0,5).map(l=>"\u201C"+l+"\u201D").join(", ")}),r.length>5&&" and "+(r.length-5)+" more","."]})]}),o&&o.length>0&&A("details",{children:[g("summary",{"data-testid":"server-tools-open",children:"Choose among the tools it offers"}),g("ul",{class:"listbox scroll-y","aria-label":"Tools that the server offers",children:o.slice(0,ee).map(l=>g("li",{class:"pickrow",children:g(ct,{tid:"server-tool",dataId:l,checked:Ce(t,l),onChange:v=>c(l,v),children:g("code",{class:"wrap",children:g(Se,{text:l})})})},l))}),o.length>ee&&A("p",{class:"hint",children:[o.length-ee," more: name them above."]})]}),g(Q,{tid:"server-prefix",label:"Prefix of their names",mono:!0,value:t.prefix,placeholder:J(t.id),onInput:l=>n({prefix:l}),error:s||void 0,hint:A(ut,{children:["A tool that is switched on for chat or clients is called"," ",A("code",{class:"wrap",children:[(s?"":t.prefix)||J(t.id),"_name"]}),". Empty: the id."]})})]})}import{useEffect as mt,useState as Ae}from"./core.js";import{kept as ne}from"./core.js";async function ht(e){if(!crypto.subtle)return"";let t=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(JSON.stringify(e)));return Array.from(new Uint8Array(t),n=>n.toString(16).padStart(2,"0")).join("")}function Te(e){let t=JSON.stringify(e),[n,i]=Ae({of:"",hash:"",before:!1}),[o,a]=Ae("");return mt(()=>{let r=!1;return ht(e).then(d=>!r&&i({of:t,hash:d,before:d!==""&&ne.read("lp-ran-"+d)!==null})),()=>{r=!0}},[t]),{given:o===t||n.of===t&&n.before,give:r=>{a(r?t:""),!r&&n.of===t&&(ne.write("lp-ran-"+n.hash,null),i({...n,before:!1}))},note:()=>n.of===t&&n.hash!==""&&ne.write("lp-ran-"+n.hash,"yes")}}import{send as gt}from"./core.js";import{go as ft}from"./core.js";import{Button as Pe,Dialog as vt,toast as bt}from"./core.js";import{jsx as ie,jsxs as Me}from"./core.js";function Fe({server:e,onClose:t,fail:n}){let i=e.name||e.id,o=async()=>{try{await gt("DELETE","/api/mcp/servers/"+encodeURIComponent(e.id)),ft("/servers"),bt("Deleted "+i+".")}catch(a){n(a),t()}};return Me(vt,{tid:"server-delete-dialog",title:"Delete "+i+"?",onClose:t,children:[ie("p",{children:"It is disconnected, and chats and clients lose its tools."}),Me("footer",{children:[ie(Pe,{tid:"server-delete-cancel",onClick:t,children:"Keep it"}),ie(Pe,{tid:"server-delete-confirm",kind:"danger",onClick:()=>{o()},children:"Delete server"})]})]})}import{Text as Tt}from"./core.js";import{useState as kt}from"./core.js";import{Button as Oe,Segments as St,Select as Ue,Text as U}from"./core.js";import{Foreign as Ct}from"./core.js";import{useEffect as Cn,useState as In}from"./core.js";import{get as yt,post as Tn,send as Pn}from"./core.js";import{useData as wt}from"./core.js";import{Foreign as En}from"./core.js";import{Ago as On,announce as Un,Button as Bn,Copy as xt,ProblemView as Dn}from"./core.js";import{jsx as oe,jsxs as Ee}from"./core.js";function Re(){let{data:e}=wt(t=>yt("/api/mcp/oauth",t),[]);return Ee("div",{class:"field",children:[oe("span",{class:"label",children:"Redirect URI, for registering by hand"}),Ee("div",{class:"row nowrap",children:[oe("code",{class:"grow wrap","data-testid":"oauth-redirect",children:e?.redirectUri??"\u2026"}),e&&oe(xt,{tid:"oauth-redirect-copy",text:e.redirectUri})]})]})}import{Fragment as At,jsx as m,jsxs as T}from"./core.js";var It=e=>Array.isArray(e)?e:typeof e=="string"?e.split(/[ ,]+/).filter(Boolean):[];function Be({value:e,onValue:t,placeholder:n}){let[i,o]=kt(""),a=e??{},r=s=>{let l={...a,...s};for(let[v,h]of Object.entries(l))(h===""||Array.isArray(h)&&h.length===0)&&delete l[v];t(l)},d=It(a.scopes),c=()=>{let s=i.split(/[ ,]+/).filter(l=>l!==""&&!d.includes(l));s.length>0&&r({scopes:[...d,...s]}),o("")};return T("div",{class:"stack tight",children:[m(St,{tid:"auth-kind",label:"Sign-in",value:e?"oauth":"none",options:[["none","None, or by a header"],["oauth","OAuth"]],onChange:s=>t(s==="oauth"?{}:null)}),e&&T(At,{children:[m(U,{tid:"oauth-client",label:"Client id",mono:!0,value:a.clientId??"",onInput:s=>r({clientId:s}),hint:"Empty: this program registers by itself, where the server lets it."}),m(U,{tid:"oauth-issuer",label:"Issuer",mono:!0,value:a.issuerUri??"",onInput:s=>r({issuerUri:s}),placeholder:"https://login.example.com",hint:"Empty: the server names it."}),T("fieldset",{class:"field",children:[m("legend",{class:"label",children:"Scopes"}),d.length>0&&m("ul",{class:"row","data-testid":"oauth-scopes",children:d.map(s=>T("li",{class:"chip",children:[m(Ct,{text:s}),m(Oe,{tid:"oauth-scope-remove",dataId:s,small:!0,kind:"quiet",icon:"close",label:"Remove the scope "+s,onClick:()=>r({scopes:d.filter(l=>l!==s)})})]}))}),T("div",{class:"row nowrap",children:[m("input",{class:"input mono","aria-label":"Scope to add","data-testid":"oauth-scope",value:i,placeholder:"read write",onInput:s=>o(s.currentTarget.value),onKeyDown:s=>s.key==="Enter"&&(s.preventDefault(),c())}),m(Oe,{tid:"oauth-scope-add",small:!0,disabled:i.trim()==="",onClick:c,children:"Add"})]}),m("span",{class:"hint",children:"None: all that the server says it needs."})]}),T("details",{children:[m("summary",{"data-testid":"oauth-more",children:"More for servers that cannot be asked"}),T("div",{class:"stack tight",children:[m(U,{tid:"oauth-secret",label:"Client secret",mono:!0,value:a.clientSecret??"",placeholder:n,onInput:s=>r({clientSecret:s}),hint:"Write a placeholder and keep the value under Settings."}),m(Ue,{tid:"oauth-method",label:"How the secret is sent",value:a.clientAuthenticationMethod??"",onChange:s=>r({clientAuthenticationMethod:s}),options:[["","as the server prefers"],["client_secret_basic","in a header (basic)"],["client_secret_post","in the body (post)"],["none","not at all"]]}),m(U,{tid:"oauth-authorization",label:"Address of the sign-in page",mono:!0,value:a.authorizationUri??"",onInput:s=>r({authorizationUri:s})}),m(U,{tid:"oauth-token",label:"Address of tokens",mono:!0,value:a.tokenUri??"",onInput:s=>r({tokenUri:s})}),m(Ue,{tid:"oauth-grant",label:"Who says yes",value:a.grant??"",onChange:s=>r({grant:s}),options:[["","a person, in a browser"],["client_credentials","nobody: the client id and secret are enough"]]})]})]}),m(Re,{})]})]})}import{Button as re}from"./core.js";var L=e=>setTimeout(()=>[...document.querySelectorAll('[data-testid="'+e+'"]')].at(-1)?.focus());import{Fragment as De,jsx as w,jsxs as B}from"./core.js";function H({tid:e,label:t,list:n,onChange:i,known:o,presets:a}){return B("fieldset",{class:"field",children:[w("legend",{class:"label",children:t}),n.map((r,d)=>B("div",{class:"stack tight",children:[B("div",{class:"row nowrap",children:[w("input",{class:"input mono","aria-label":t+", name","data-testid":e+"-name",value:r.name,onInput:c=>i(n.map((s,l)=>l===d?{...s,name:c.currentTarget.value}:s))}),w("input",{class:"input mono","aria-label":t+", value","data-testid":e+"-value",value:r.value,autocomplete:"off",onInput:c=>i(n.map((s,l)=>l===d?{...s,value:c.currentTarget.value}:s))}),w(re,{tid:e+"-remove",small:!0,kind:"quiet",icon:"close",label:"Remove "+r.name,onClick:()=>i(n.filter((c,s)=>s!==d))})]}),w($,{texts:[r.value],known:o})]},d)),B("div",{class:"row",children:[w(re,{tid:e+"-add",small:!0,icon:"plus",onClick:()=>(i([...n,{name:"",value:""}]),L(e+"-name")),children:"Row"}),(a??[]).map(([r,d])=>w(re,{tid:e+"-preset",dataId:r,small:!0,kind:"quiet",onClick:()=>i([...n.filter(c=>c.name!==d.name),d]),children:r}))]})]})}function $({texts:e,known:t}){let n=[...new Set(e.flatMap(i=>[...i.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(o=>o[1])))];return w(De,{children:n.map(i=>w("span",{class:t.has(i)?"ok small":"err","data-testid":"placeholder-state","data-id":i,"data-known":t.has(i)?"yes":"no",children:t.has(i)?i+" \u2713 has a value":B(De,{children:[i," has no value."," ",w("a",{href:"/settings/secrets","data-testid":"placeholder-set",children:"Set it"})]})}))})}import{Fragment as Pt,jsx as D,jsxs as Mt}from"./core.js";function ze({form:e,set:t,known:n}){let i=o=>"${"+(e.id||"SERVER").toUpperCase().replace(/\W+/g,"_")+o+"}";return Mt(Pt,{children:[D(Tt,{tid:"server-url",label:"URL",mono:!0,value:e.url,onInput:o=>t({url:o}),placeholder:"https://mcp.example.com/mcp"}),D($,{texts:[e.url,e.endpoint],known:n}),D(H,{tid:"header",label:"Headers",list:e.headers,known:n,onChange:o=>t({headers:o}),presets:[["Bearer",{name:"Authorization",value:"Bearer "+i("_TOKEN")}],["API key",{name:"X-Api-Key",value:i("_KEY")}],["Basic",{name:"Authorization",value:"Basic "+i("_LOGIN")}]]}),D(Be,{value:e.oauth,onValue:o=>t({oauth:o}),placeholder:i("_CLIENT_SECRET")}),e.oauth&&D($,{texts:Object.values(e.oauth).flatMap(o=>Array.isArray(o)?o.map(String):[String(o)]),known:n})]})}import{useEffect as Ft,useState as Et}from"./core.js";import{Button as Rt,toast as Ot}from"./core.js";import{jsx as j,jsxs as ae}from"./core.js";function _e({fill:e}){let[t,n]=Et(""),i=o=>{e(o),n(""),Ot("Filled the form from the client's configuration.")};return Ft(()=>{let o=a=>{if(/^(INPUT|TEXTAREA)$/.test(a.target?.tagName??""))return;let r=O(a.clipboardData?.getData("text/plain")??"");r&&(a.preventDefault(),i(r))};return addEventListener("paste",o),()=>removeEventListener("paste",o)}),ae("details",{children:[j("summary",{"data-testid":"paste-open",children:"Fill from a client's configuration (or paste it anywhere on this page)"}),ae("div",{class:"stack tight",children:[j("textarea",{class:"input mono",rows:4,"aria-label":"A client's JSON","data-testid":"paste-text",value:t,onInput:o=>n(o.currentTarget.value)}),ae("div",{class:"row",children:[j(Rt,{tid:"paste-fill",small:!0,disabled:!O(t),onClick:()=>i(O(t)),children:"Fill the form"}),t!==""&&!O(t)&&j("span",{class:"err",children:"No server is found in this."})]})]})]})}import{send as Ut}from"./core.js";import{Button as Bt}from"./core.js";import{Fragment as Dt,jsx as se,jsxs as Ne}from"./core.js";function Le({form:e,set:t,fail:n}){let i=[...e.headers.map(o=>({p:o,where:"headers"})),...e.env.map(o=>({p:o,where:"env"}))].map(({p:o,where:a})=>({found:xe(e.id,o),p:o,where:a})).filter(o=>o.found);return se(Dt,{children:i.map(({found:o,p:a,where:r})=>Ne("div",{class:"note mid row spread","data-testid":"secret-proposal","data-id":o.name,children:[Ne("span",{children:[a.name," looks like a secret. Keep it under Settings and write"," ",se("code",{children:"${"+o.name+"}"})," here."]}),se(Bt,{tid:"secret-take",small:!0,kind:"primary",onClick:async()=>{try{await Ut("PUT","/api/secrets/"+encodeURIComponent(o.name),{value:o.value}),t({[r]:e[r].map(d=>d===a?o.pair:d)})}catch(d){n(d)}},children:"Keep it there"})]}))})}import{Button as $e,Text as je}from"./core.js";import{Foreign as zt}from"./core.js";import{Check as _t}from"./core.js";import{jsx as W,jsxs as le}from"./core.js";function He({form:e,consent:t}){return le("div",{class:"note mid","data-testid":"stdio-preview",children:[le("span",{children:["This starts, with nothing else of your environment but"," ",["PATH, HOME, language",...e.env.map(n=>n.name)].join(", "),":"]}),W("ol",{children:[e.command,...e.args].map((n,i)=>W("li",{children:le("code",{children:[i===0?"program":"argument "+i,": ",W(zt,{text:n})]})}))}),W(_t,{tid:"stdio-consent",checked:t.given,onChange:t.give,children:"Run this program on my machine"})]})}import{Fragment as Nt,jsx as x,jsxs as de}from"./core.js";function We({form:e,set:t,known:n,consent:i}){return de(Nt,{children:[x(je,{tid:"stdio-command",label:"Program",mono:!0,value:e.command,onInput:o=>t({command:o}),hint:"A path, or a name on the PATH. No shell reads it."}),de("fieldset",{class:"field",children:[x("legend",{class:"label",children:"Arguments, one each"}),e.args.map((o,a)=>de("div",{class:"row nowrap",children:[x("input",{class:"input mono","aria-label":"Argument "+(a+1),"data-testid":"stdio-arg",value:o,onInput:r=>t({args:e.args.map((d,c)=>c===a?r.currentTarget.value:d)})}),x($e,{tid:"stdio-arg-remove",small:!0,kind:"quiet",icon:"close",label:"Remove argument "+(a+1),onClick:()=>t({args:e.args.filter((r,d)=>d!==a)})})]},a)),x("div",{class:"row",children:x($e,{tid:"stdio-arg-add",small:!0,icon:"plus",onClick:()=>(t({args:[...e.args,""]}),L("stdio-arg")),children:"Argument"})})]}),x(H,{tid:"stdio-env",label:"Environment",list:e.env,known:n,onChange:o=>t({env:o})}),x(je,{tid:"stdio-cwd",label:"Working directory",mono:!0,value:e.cwd,onInput:o=>t({cwd:o})}),x(He,{form:e,consent:i})]})}import{Foreign as ce}from"./core.js";import{ms as Ve}from"./core.js";var Lt=[[/connection refused/i,"Nothing answers at this address. Start the server, or correct the address."],[/no such host|lookup .* server misbehaving/i,"There is no server of this name. Correct the address."],[/x509|certificate|tls:/i,"Its certificate cannot be trusted."],[/\b(401|403)\b|unauthorized|forbidden/i,"It refuses the key or sign-in of this connection. Edit the connection."],[/\b404\b/,"The address is not that of an MCP server. Correct the address."],[/executable file not found|no such file|permission denied/i,"The program cannot be started. Correct its name or path."],[/exit status|exited|EOF|broken pipe|signal: /i,"The program or server ended the connection. Test it to see where."],[/deadline|timeout|timed out/i,"It did not answer in time."]],Ke=e=>Lt.find(([t])=>t.test(e))?.[1]??"It cannot be reached, or does not answer as an MCP server. Edit the connection and test it.";import{Fragment as jt,jsx as f,jsxs as S}from"./core.js";var Ht={settings:"Settings",start:"Start the program",resolve:"Resolve the name",connect:"Connect",tls:"TLS",auth:"Sign-in",initialize:"Initialize",list:"List the tools"},$t={ok:["\u2713","ok","done"],failed:["\u2717","err","failed"],skipped:["\u2013","muted","not needed"]};function Ze({trial:e}){return S("div",{class:"note "+(e.ok?"good":"bad"),"data-testid":"trial","data-ok":e.ok?"yes":"no",children:[f("strong",{role:"status",children:e.ok?"The connection works: "+Ve(e.latencyMs):"The connection does not work"}),f("ol",{class:"stepper",children:e.steps.map(t=>{let[n,i,o]=$t[t.status]??["?","",t.status];return S("li",{"data-testid":"trial-step","data-step":t.name,"data-status":t.status,children:[f("span",{class:i,"aria-hidden":"true",children:n}),S("span",{class:"grow",children:[Ht[t.name]??t.name," ",f("span",{class:"vh",children:o}),t.detail&&t.status!=="failed"&&S("span",{class:"small wrap muted",children:[" ",f(ce,{text:t.detail})]}),t.detail&&t.status==="failed"&&S(jt,{children:[S("span",{class:"small wrap err",children:[" ",Ke(t.detail)]}),S("details",{children:[f("summary",{class:"small","data-testid":"trial-details",children:"Details"}),f("code",{class:"wrap",children:f(ce,{text:t.detail})})]})]})]}),f("span",{class:"num muted nobreak",children:t.status==="skipped"||t.name==="auth"&&t.status==="ok"?"":Ve(t.elapsedMs)})]})})}),!e.ok&&e.steps.length===0&&e.error&&f(ce,{text:e.error}),e.missing&&S("span",{class:"err",children:["No value for ",e.missing.join(", "),"."," ",f("a",{href:"/settings/secrets","data-testid":"trial-secrets",children:"Set it"})]}),f("span",{class:"hint",children:"Nothing was kept, and no running session was touched."})]})}var Ge=`.split.form {
  grid-template-rows: auto 1fr;
}
@media (min-width: 900px) {
  .split.form > .reach {
    grid-column: 2;
    grid-row: 1 / span 2;
  }
}
.overview {
  display: grid;
  gap: 16px;
  align-items: start;
}
@media (min-width: 1080px) {
  .overview {
    grid-template-columns: minmax(0, 5fr) minmax(300px, 3fr);
  }
}
.facts {
  display: flex;
  flex-wrap: wrap;
  gap: 8px 32px;
}
.facts dt {
  color: var(--muted);
  font-size: var(--t1);
}
.facts dd {
  margin: 0;
}
.switches > li {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto auto;
  gap: 4px 24px;
  align-items: center;
  padding: 8px 0;
  border-block-start: 1px solid var(--line);
}
.switches .what {
  display: grid;
  gap: 2px;
}
.callrow {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 2px 12px;
  padding: 4px 8px;
  margin-inline: -8px;
  color: inherit;
  text-decoration: none;
}
.callrow > :nth-child(even) {
  justify-self: end;
}
@media (max-width: 719px) {
  .switches > li {
    grid-template-columns: minmax(0, 1fr) auto;
  }
  .switches .what {
    grid-column: 1 / -1;
  }
}
.servers td:is(:nth-child(2), :nth-child(3)) {
  min-width: 132px;
  overflow-wrap: anywhere;
}
@media (min-width: 720px) {
  .choices select.input.fit {
    max-width: none;
  }
}
.servers td:nth-child(3) > code {
  display: block;
}
.servers .since {
  display: block;
}
@media (min-width: 720px) {
  .servers td:nth-child(5) {
    white-space: nowrap;
  }
}
@media (max-width: 719px) {
  .choices > .input.grow {
    flex-basis: 100%;
  }
}
@media (max-width: 899px) {
  .servers td:last-child > .row {
    flex-wrap: wrap;
  }
}
/* What stands for a list and its detail is as wide as both. */
@media (min-width: 900px) {
  .split > .empty {
    grid-column: span 2;
  }
}
@media (max-width: 1279px) {
  .inspected > .caps {
    order: 1;
    flex-basis: 100%;
  }
}
.inspected select.input {
  padding-block: 1px;
  min-height: 26px;
  font-size: var(--t2);
}
.exchange {
  padding: 8px 12px 12px;
  display: grid;
  gap: 12px;
  min-width: 0;
  background: var(--bg);
  border-top: 1px solid var(--line);
}
.exchange .code {
  max-height: 280px;
}
.traffic .listbox {
  max-height: min(70vh, 900px);
}
.two-up.three {
  display: grid;
  gap: 16px;
  align-items: start;
  grid-template-columns: minmax(0, 5fr) minmax(300px, 3fr);
}
.wide-traffic.two-up.three {
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
}
.split.three.wide-traffic {
  grid-template-columns: minmax(180px, 2fr) minmax(0, 4fr) minmax(0, 6fr);
}
@media (max-width: 1279px) {
  .split.three.wide-traffic {
    grid-template-columns: minmax(200px, 2fr) minmax(0, 3fr);
  }
}
@media (max-width: 899px) {
  .two-up.three,
  .wide-traffic.two-up.three,
  .split.three.wide-traffic {
    grid-template-columns: minmax(0, 1fr);
  }
}
`;import{jsx as p,jsxs as C}from"./core.js";Xt(Ge);function Yt(e){return e.id===""?"Give it an id.":q(e.id)?"Change the id.":te(e.prefix)?"Change the prefix of its tools.":e.transport==="stdio"?e.command===""?"Name the program.":"":/^https?:\/\//.test(e.url)||e.url.startsWith("${")?"":"Give a URL that begins with http:// or https://."}function Vi({args:e}){let t=e[0]??"",[n,i]=P(null),[o,a]=P(t?null:we()),r=et(async s=>t?Ye("/api/mcp/servers/"+encodeURIComponent(t),s):null,[t]);Xe(()=>{!r.data||o||(i(r.data),a(X(r.data)))},[r.data]);let d=t?"Edit "+(n?.name||t):"Connect a server",c=[["MCP Servers","/servers"],...t?[[t,"/servers/"+encodeURIComponent(t)]]:[]];return o?p(Qt,{given:t,title:d,crumbs:c,server:n,setServer:i,form:o,setForm:a}):p(Qe,{title:d,crumbs:c,children:r.error!==null?p(tt,{error:r.error,retry:r.reload}):p(qt,{what:"the connection"})})}function Qt({given:e,title:t,crumbs:n,server:i,setServer:o,form:a,setForm:r}){let[d,c]=P(null),[s,l]=P(null),[v,h]=P(""),[K,ue]=P(!1),[z,_]=P(null),me=Kt(null);Xe(()=>me.current?.scrollIntoView({block:"nearest"}),[d,s]);let V=Te([a.command,...a.args]),nt=et(u=>Ye("/api/secrets",u),[],["settings"]),he=new Set((nt.data?.items??[]).filter(u=>u.origin!=="missing").map(u=>u.name)),I=u=>(l(null),r({...a,...u})),R=Yt(a),Z=a.transport==="stdio"&&!V.given?"Tick that this program may run on your machine.":"",ge=()=>a.transport==="stdio"&&V.note(),G=async u=>{h(u?"connect":"save"),c(null);try{let{data:y}=await Vt("POST","/api/mcp/servers",Y(a,i?.version??0)),M=y.name||y.id;u?(ge(),await Je("/api/mcp/servers/"+encodeURIComponent(y.id)+"/connect").then(()=>pe("Connected "+M),()=>pe("Saved "+M+", but it could not be connected.",void 0,!0))):pe("Saved "+M),Zt("/servers/"+encodeURIComponent(y.id),!e)}catch(y){let M=y instanceof qe?y.problem.current:void 0;M&&y instanceof qe&&y.code==="version_conflict"?_(M):c(y),h("")}},it=async()=>{h("test"),l(null),c(null);try{ge(),l(await Je("/api/mcp/servers/test",Y(a,i?.version??0)))}catch(u){c(u)}finally{h("")}};return C(Qe,{title:t,crumbs:n,own:[{id:"save",label:"Save",keys:"mod+s",run:()=>R===""&&void G(!1)}],children:[C("div",{class:"stack",children:[!e&&p(_e,{fill:u=>I({...u,id:(u.id??"")||a.id})}),C("div",{class:"split form",children:[p(be,{given:e,form:a,set:I}),C("section",{class:"card stack reach",children:[p(Jt,{tid:"transport",label:"Transport",value:a.transport,options:[["http","Streamable HTTP"],["stdio","stdio"],["sse","SSE (legacy)"]],onChange:u=>I({transport:u})}),a.transport==="stdio"?p(We,{form:a,set:I,known:he,consent:V}):p(ze,{form:a,set:I,known:he}),p(Le,{form:a,set:I,fail:c}),i?.masked&&C("p",{class:"hint",children:["*** stands for what is stored in ",i.masked.join(", "),". Left as it is, it stays."]}),(d!==null||s)&&C("div",{class:"stack",ref:me,children:[d!==null&&p(tt,{error:d}),s&&p(Ze,{trial:s})]})]}),p(Ie,{given:e,form:a,set:I})]})]}),C("div",{class:"actionbar",children:[i&&p(E,{tid:"server-delete",small:!0,kind:"danger",onClick:()=>ue(!0),children:"Delete"}),p("span",{class:"grow hint","data-testid":"server-reason",children:R||Z}),e&&p("a",{class:"btn small quiet",href:"/servers/"+encodeURIComponent(e),"data-testid":"server-cancel",children:"Cancel"}),p(E,{tid:"server-test",small:!0,busy:v==="test",disabled:R!==""||Z!=="",onClick:()=>{it()},children:"Test connection"}),p(E,{tid:"server-save",small:!0,busy:v==="save",disabled:R!=="",onClick:()=>{G(!1)},children:"Save"}),p(E,{tid:"server-save-connect",small:!0,kind:"primary",busy:v==="connect",disabled:R!==""||Z!=="",onClick:()=>{G(!0)},children:"Save and connect"})]}),K&&i&&p(Fe,{server:i,onClose:()=>ue(!1),fail:c}),z&&p(Gt,{tid:"conflict-dialog",title:"Somebody else saved this server",onClose:()=>_(null),children:C("footer",{children:[p(E,{tid:"conflict-take",onClick:()=>(o(z),r(X(z)),_(null)),children:"Take theirs"}),p(E,{tid:"conflict-keep",kind:"primary",onClick:()=>(o(z),_(null)),children:"Keep mine"})]})})]})}export{Vi as Connection};

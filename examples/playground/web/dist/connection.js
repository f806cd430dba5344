import{useEffect as Je,useRef as $t,useState as T}from"./core.js";import{ApiError as Ge,get as Xe,post as qe,send as jt}from"./core.js";import{go as Wt}from"./core.js";import{Page as Ye}from"./core.js";import{useData as Qe}from"./core.js";import{Button as F,Dialog as Kt,Loading as Vt,ProblemView as et,Segments as Zt,toast as ce}from"./core.js";import{adopt as Gt}from"./core.js";import{Check as he,Text as M}from"./core.js";import{jsx as k,jsxs as fe}from"./core.js";var q=e=>e===""||/^[A-Za-z0-9._-]{1,64}$/.test(e)?"":"Use 1 to 64 letters, digits, dots, - and _.";function ve({given:e,form:t,set:n}){return fe("section",{class:"card stack",children:[k(M,{tid:"server-id",label:"Id",mono:!0,value:t.id,readOnly:e!=="",onInput:i=>n({id:i}),error:q(t.id)||void 0,hint:"Its tools are called id_name unless you set a prefix."}),k(M,{tid:"server-name",label:"Name",value:t.name,onInput:i=>n({name:i})}),k(M,{tid:"server-description",label:"Description",lines:2,value:t.description,onInput:i=>n({description:i})}),fe("div",{class:"two",children:[k(M,{tid:"server-category",label:"Category",value:t.category,onInput:i=>n({category:i})}),k(M,{tid:"server-tags",label:"Tags",value:t.tags,onInput:i=>n({tags:i})})]}),k(M,{tid:"server-timeout",label:"Call timeout (ms)",value:t.timeoutMs,onInput:i=>n({timeoutMs:i.replace(/\D/g,"")}),hint:"Default 15,000."}),k(he,{tid:"server-disabled",checked:t.disabled,onChange:i=>n({disabled:i}),children:"Disabled"}),k(he,{tid:"server-auto",checked:t.auto,disabled:t.disabled,onChange:i=>n({auto:i}),children:"Connect when the playground starts"})]})}import{parse as it}from"./core.js";var be=()=>({id:"",name:"",description:"",category:"",tags:"",transport:"http",url:"",endpoint:"",headers:[],command:"",args:[],env:[],cwd:"",timeoutMs:"",disabled:!1,auto:!1,oauth:null,only:null,except:"",prefix:"",rest:{}}),v=e=>[...new Set(e.split(/\r?\n/).filter(t=>t.trim()!==""))],J=e=>e.toLowerCase().replace(/[^a-z0-9]+/g,"_").replace(/^_+|_+$/g,"")||"s",N=e=>e!==null&&typeof e=="object"?Object.entries(e).map(([t,n])=>({name:t,value:String(n)})):[],ye=e=>Object.fromEntries(e.filter(t=>t.name.trim()!=="").map(t=>[t.name.trim(),t.value])),ot=e=>e!==null&&typeof e=="object"&&!Array.isArray(e)?e:null;function X(e){let t={...e.connection},n=o=>{let a=t[o];return delete t[o],a},i=e.transport||e.status.endpoint.kind||("command"in t?"stdio":"http");return{id:e.id,name:e.name??"",description:e.description??"",category:e.category??"",tags:(e.tags??[]).join(", "),transport:i,url:String(n("url")??""),endpoint:String(n("endpoint")??""),headers:N(n("headers")),command:String(n("command")??""),args:(n("args")??[]).map(String),env:N(n("env")),cwd:String(n("cwd")??""),timeoutMs:e.timeoutMs?String(e.timeoutMs):"",disabled:e.disabled??!1,auto:e.autoConnect??!1,oauth:ot(n("oauth")),only:e.toolSelection?.only?.join(`
`)??null,except:(e.toolSelection?.except??[]).join(`
`),prefix:e.toolPrefix??"",rest:t}}function rt(e){return e.transport==="stdio"?{...e.rest,command:e.command,...e.args.length?{args:e.args}:{},...e.env.length?{env:ye(e.env)}:{},...e.cwd?{cwd:e.cwd}:{}}:{...e.rest,url:e.url,...e.endpoint?{endpoint:e.endpoint}:{},...e.headers.length?{headers:ye(e.headers)}:{},...e.oauth?{oauth:e.oauth}:{}}}var Y=(e,t)=>({id:e.id,name:e.name,description:e.description,category:e.category,tags:e.tags.split(",").map(n=>n.trim()).filter(Boolean),transport:e.transport,connection:rt(e),timeoutMs:Number(e.timeoutMs)||0,disabled:e.disabled,autoConnect:e.auto,toolSelection:{...e.only===null?{}:{only:v(e.only)},...v(e.except).length?{except:v(e.except)}:{}},toolPrefix:e.prefix,...t?{version:t}:{}}),at=(e,t)=>t!==""&&!t.includes("${")&&t!=="***"&&(/auth|token|key|secret|password|cookie/i.test(e)||/^(Bearer|Basic)\s/i.test(t));function we(e,t){if(!at(t.name,t.value))return null;let n=/^((?:Bearer|Basic)\s+)?(.*)$/is.exec(t.value),i=(e||"server").toUpperCase().replace(/[^A-Z0-9]+/g,"_")+"_"+t.name.toUpperCase().replace(/[^A-Z0-9]+/g,"_");return{pair:{name:t.name,value:(n[1]??"")+"${"+i+"}"},name:i,value:n[2]}}function R(e){let t=it(e);if(!("value"in t)||t.value===null||typeof t.value!="object")return null;let n=t.value,i=n.mcpServers??n.servers,o="";if(i&&typeof i=="object"){let r=Object.entries(i)[0];if(!r)return null;[o,n]=r}else{let r=Object.entries(n);r.length===1&&r[0][1]&&typeof r[0][1]=="object"&&("url"in r[0][1]||"command"in r[0][1]||"httpUrl"in r[0][1])&&([o,n]=r[0])}let a=n.url??n.httpUrl??n.serverUrl;return typeof n.command=="string"?{id:o,transport:"stdio",command:n.command,args:Array.isArray(n.args)?n.args.map(String):[],env:N(n.env),cwd:String(n.cwd??"")}:typeof a=="string"?{id:o,transport:n.type==="sse"?"sse":"http",url:a,endpoint:"",headers:N(n.headers??n.http_headers)}:null}import{get as st}from"./core.js";import{useData as lt}from"./core.js";import{Foreign as ke}from"./core.js";import{Check as dt,Segments as ct,Text as Q}from"./core.js";var xe=e=>"/api/mcp/servers/"+encodeURIComponent(e);import{Fragment as pt,jsx as h,jsxs as I}from"./core.js";var ee=300,te=e=>e===""||/^[a-z][a-z0-9_-]{0,31}$/.test(e)?"":"Use 1 to 32 of a-z, 0-9, _ and -, and begin with a letter.",Se=(e,t)=>(e.only===null||v(e.only).includes(t))&&!v(e.except).includes(t);function Ce({given:e,form:t,set:n}){let i=lt(async l=>e?st(xe(e)+"/capabilities",l):null,[e],["servers"]),o=i.data&&i.data.syncStatus!=="NEVER_SYNCED"?i.data.tools.map(l=>l.key):null,a=o?.filter(l=>Se(t,l)).length??0,r=o?[...v(t.only??""),...v(t.except)].filter(l=>!o.includes(l)):[],d=(l,f)=>v(l).filter(g=>g!==f).join(`
`),c=(l,f)=>{let g=K=>[...v(K),l].join(`
`);f?n({except:d(t.except,l),only:t.only===null||v(t.only).includes(l)?t.only:g(t.only)}):t.only!==null?n({only:d(t.only,l)}):n({except:g(t.except)})},s=te(t.prefix);return I("section",{class:"card stack","aria-labelledby":"server-tools-title",children:[h("h2",{id:"server-tools-title",children:"Tools"}),h(ct,{tid:"server-take",label:"Include",value:t.only===null?"all":"only",options:[["all","All it offers"],["only","Only those named"]],onChange:l=>n({only:l==="all"?null:""})}),t.only!==null&&h(Q,{tid:"server-only",label:"Tools that are taken",mono:!0,lines:3,value:t.only,onInput:l=>n({only:l}),hint:"One name on a line, as the server spells it. Without a name none is taken."}),h(Q,{tid:"server-except",label:"Exclude",mono:!0,lines:2,value:t.except,onInput:l=>n({except:l}),hint:"One name on a line. What is left out is not offered, and a call of it is refused."}),o&&I("p",{class:"hint",role:"status","data-testid":"server-taken",children:[a," of ",o.length," tools are taken.",r.length>0&&I("span",{class:"warn",children:[" ","The server does not offer now:"," ",h(ke,{text:r.slice(0,5).map(l=>"\u201C"+l+"\u201D").join(", ")}),r.length>5&&" and "+(r.length-5)+" more","."]})]}),o&&o.length>0&&I("details",{children:[h("summary",{"data-testid":"server-tools-open",children:"Choose among the tools it offers"}),h("ul",{class:"listbox scroll-y","aria-label":"Tools that the server offers",children:o.slice(0,ee).map(l=>h("li",{class:"pickrow",children:h(dt,{tid:"server-tool",dataId:l,checked:Se(t,l),onChange:f=>c(l,f),children:h("code",{class:"wrap",children:h(ke,{text:l})})})},l))}),o.length>ee&&I("p",{class:"hint",children:[o.length-ee," more: name them above."]})]}),h(Q,{tid:"server-prefix",label:"Prefix of their names",mono:!0,value:t.prefix,placeholder:J(t.id),onInput:l=>n({prefix:l}),error:s||void 0,hint:I(pt,{children:["A tool that is switched on for chat or clients is called"," ",I("code",{class:"wrap",children:[(s?"":t.prefix)||J(t.id),"_name"]}),". Empty: the id."]})})]})}import{useEffect as ut,useState as Ie}from"./core.js";import{kept as ne}from"./core.js";async function mt(e){if(!crypto.subtle)return"";let t=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(JSON.stringify(e)));return Array.from(new Uint8Array(t),n=>n.toString(16).padStart(2,"0")).join("")}function Ae(e){let t=JSON.stringify(e),[n,i]=Ie({of:"",hash:"",before:!1}),[o,a]=Ie("");return ut(()=>{let r=!1;return mt(e).then(d=>!r&&i({of:t,hash:d,before:d!==""&&ne.read("lp-ran-"+d)!==null})),()=>{r=!0}},[t]),{given:o===t||n.of===t&&n.before,give:r=>{a(r?t:""),!r&&n.of===t&&(ne.write("lp-ran-"+n.hash,null),i({...n,before:!1}))},note:()=>n.of===t&&n.hash!==""&&ne.write("lp-ran-"+n.hash,"yes")}}import{send as gt}from"./core.js";import{go as ht}from"./core.js";import{Button as Te,Dialog as ft,toast as vt}from"./core.js";import{jsx as ie,jsxs as Pe}from"./core.js";function Me({server:e,onClose:t,fail:n}){let i=e.name||e.id,o=async()=>{try{await gt("DELETE","/api/mcp/servers/"+encodeURIComponent(e.id)),ht("/servers"),vt("Deleted "+i+".")}catch(a){n(a),t()}};return Pe(ft,{tid:"server-delete-dialog",title:"Delete "+i+"?",onClose:t,children:[ie("p",{children:"It is disconnected, and chats and clients lose its tools."}),Pe("footer",{children:[ie(Te,{tid:"server-delete-cancel",onClick:t,children:"Keep it"}),ie(Te,{tid:"server-delete-confirm",kind:"danger",onClick:()=>{o()},children:"Delete server"})]})]})}import{Text as At}from"./core.js";import{useState as xt}from"./core.js";import{Button as Re,Segments as kt,Select as Oe,Text as O}from"./core.js";import{Foreign as St}from"./core.js";import{useEffect as xn,useState as kn}from"./core.js";import{get as yt,post as Cn,send as In}from"./core.js";import{useData as bt}from"./core.js";import{Foreign as Pn}from"./core.js";import{Ago as Fn,announce as En,Button as Rn,Copy as wt,ProblemView as On}from"./core.js";import{jsx as oe,jsxs as Fe}from"./core.js";function Ee(){let{data:e}=bt(t=>yt("/api/mcp/oauth",t),[]);return Fe("div",{class:"field",children:[oe("span",{class:"label",children:"Redirect URI, for registering by hand"}),Fe("div",{class:"row nowrap",children:[oe("code",{class:"grow wrap","data-testid":"oauth-redirect",children:e?.redirectUri??"\u2026"}),e&&oe(wt,{tid:"oauth-redirect-copy",text:e.redirectUri})]})]})}import{Fragment as It,jsx as m,jsxs as A}from"./core.js";var Ct=e=>Array.isArray(e)?e:typeof e=="string"?e.split(/[ ,]+/).filter(Boolean):[];function Ue({value:e,onValue:t,placeholder:n}){let[i,o]=xt(""),a=e??{},r=s=>{let l={...a,...s};for(let[f,g]of Object.entries(l))(g===""||Array.isArray(g)&&g.length===0)&&delete l[f];t(l)},d=Ct(a.scopes),c=()=>{let s=i.split(/[ ,]+/).filter(l=>l!==""&&!d.includes(l));s.length>0&&r({scopes:[...d,...s]}),o("")};return A("div",{class:"stack tight",children:[m(kt,{tid:"auth-kind",label:"Sign-in",value:e?"oauth":"none",options:[["none","None, or by a header"],["oauth","OAuth"]],onChange:s=>t(s==="oauth"?{}:null)}),e&&A(It,{children:[m(O,{tid:"oauth-client",label:"Client id",mono:!0,value:a.clientId??"",onInput:s=>r({clientId:s}),hint:"Empty: this program registers by itself, where the server lets it."}),m(O,{tid:"oauth-issuer",label:"Issuer",mono:!0,value:a.issuerUri??"",onInput:s=>r({issuerUri:s}),placeholder:"https://login.example.com",hint:"Empty: the server names it."}),A("fieldset",{class:"field",children:[m("legend",{class:"label",children:"Scopes"}),d.length>0&&m("ul",{class:"row","data-testid":"oauth-scopes",children:d.map(s=>A("li",{class:"chip",children:[m(St,{text:s}),m(Re,{tid:"oauth-scope-remove",dataId:s,small:!0,kind:"quiet",icon:"close",label:"Remove the scope "+s,onClick:()=>r({scopes:d.filter(l=>l!==s)})})]}))}),A("div",{class:"row nowrap",children:[m("input",{class:"input mono","aria-label":"Scope to add","data-testid":"oauth-scope",value:i,placeholder:"read write",onInput:s=>o(s.currentTarget.value),onKeyDown:s=>s.key==="Enter"&&(s.preventDefault(),c())}),m(Re,{tid:"oauth-scope-add",small:!0,disabled:i.trim()==="",onClick:c,children:"Add"})]}),m("span",{class:"hint",children:"None: all that the server says it needs."})]}),A("details",{children:[m("summary",{"data-testid":"oauth-more",children:"More for servers that cannot be asked"}),A("div",{class:"stack tight",children:[m(O,{tid:"oauth-secret",label:"Client secret",mono:!0,value:a.clientSecret??"",placeholder:n,onInput:s=>r({clientSecret:s}),hint:"Write a placeholder and keep the value under Settings."}),m(Oe,{tid:"oauth-method",label:"How the secret is sent",value:a.clientAuthenticationMethod??"",onChange:s=>r({clientAuthenticationMethod:s}),options:[["","as the server prefers"],["client_secret_basic","in a header (basic)"],["client_secret_post","in the body (post)"],["none","not at all"]]}),m(O,{tid:"oauth-authorization",label:"Address of the sign-in page",mono:!0,value:a.authorizationUri??"",onInput:s=>r({authorizationUri:s})}),m(O,{tid:"oauth-token",label:"Address of tokens",mono:!0,value:a.tokenUri??"",onInput:s=>r({tokenUri:s})}),m(Oe,{tid:"oauth-grant",label:"Who says yes",value:a.grant??"",onChange:s=>r({grant:s}),options:[["","a person, in a browser"],["client_credentials","nobody: the client id and secret are enough"]]})]})]}),m(Ee,{})]})]})}import{Button as re}from"./core.js";var L=e=>setTimeout(()=>[...document.querySelectorAll('[data-testid="'+e+'"]')].at(-1)?.focus());import{Fragment as Be,jsx as b,jsxs as U}from"./core.js";function H({tid:e,label:t,list:n,onChange:i,known:o,presets:a}){return U("fieldset",{class:"field",children:[b("legend",{class:"label",children:t}),n.map((r,d)=>U("div",{class:"stack tight",children:[U("div",{class:"row nowrap",children:[b("input",{class:"input mono","aria-label":t+", name","data-testid":e+"-name",value:r.name,onInput:c=>i(n.map((s,l)=>l===d?{...s,name:c.currentTarget.value}:s))}),b("input",{class:"input mono","aria-label":t+", value","data-testid":e+"-value",value:r.value,autocomplete:"off",onInput:c=>i(n.map((s,l)=>l===d?{...s,value:c.currentTarget.value}:s))}),b(re,{tid:e+"-remove",small:!0,kind:"quiet",icon:"close",label:"Remove "+r.name,onClick:()=>i(n.filter((c,s)=>s!==d))})]}),b($,{texts:[r.value],known:o})]},d)),U("div",{class:"row",children:[b(re,{tid:e+"-add",small:!0,icon:"plus",onClick:()=>(i([...n,{name:"",value:""}]),L(e+"-name")),children:"Row"}),(a??[]).map(([r,d])=>b(re,{tid:e+"-preset",dataId:r,small:!0,kind:"quiet",onClick:()=>i([...n.filter(c=>c.name!==d.name),d]),children:r}))]})]})}function $({texts:e,known:t}){let n=[...new Set(e.flatMap(i=>[...i.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(o=>o[1])))];return b(Be,{children:n.map(i=>b("span",{class:t.has(i)?"ok small":"err","data-testid":"placeholder-state","data-id":i,"data-known":t.has(i)?"yes":"no",children:t.has(i)?i+" \u2713 has a value":U(Be,{children:[i," has no value."," ",b("a",{href:"/settings/secrets","data-testid":"placeholder-set",children:"Set it"})]})}))})}import{Fragment as Tt,jsx as B,jsxs as Pt}from"./core.js";function De({form:e,set:t,known:n}){let i=o=>"${"+(e.id||"SERVER").toUpperCase().replace(/\W+/g,"_")+o+"}";return Pt(Tt,{children:[B(At,{tid:"server-url",label:"URL",mono:!0,value:e.url,onInput:o=>t({url:o}),placeholder:"https://mcp.example.com/mcp"}),B($,{texts:[e.url,e.endpoint],known:n}),B(H,{tid:"header",label:"Headers",list:e.headers,known:n,onChange:o=>t({headers:o}),presets:[["Bearer",{name:"Authorization",value:"Bearer "+i("_TOKEN")}],["API key",{name:"X-Api-Key",value:i("_KEY")}],["Basic",{name:"Authorization",value:"Basic "+i("_LOGIN")}]]}),B(Ue,{value:e.oauth,onValue:o=>t({oauth:o}),placeholder:i("_CLIENT_SECRET")}),e.oauth&&B($,{texts:Object.values(e.oauth).flatMap(o=>Array.isArray(o)?o.map(String):[String(o)]),known:n})]})}import{useEffect as Mt,useState as Ft}from"./core.js";import{Button as Et,toast as Rt}from"./core.js";import{jsx as j,jsxs as ae}from"./core.js";function ze({fill:e}){let[t,n]=Ft(""),i=o=>{e(o),n(""),Rt("Filled the form from the client's configuration.")};return Mt(()=>{let o=a=>{if(/^(INPUT|TEXTAREA)$/.test(a.target?.tagName??""))return;let r=R(a.clipboardData?.getData("text/plain")??"");r&&(a.preventDefault(),i(r))};return addEventListener("paste",o),()=>removeEventListener("paste",o)}),ae("details",{children:[j("summary",{"data-testid":"paste-open",children:"Fill from a client's configuration (or paste it anywhere on this page)"}),ae("div",{class:"stack tight",children:[j("textarea",{class:"input mono",rows:4,"aria-label":"A client's JSON","data-testid":"paste-text",value:t,onInput:o=>n(o.currentTarget.value)}),ae("div",{class:"row",children:[j(Et,{tid:"paste-fill",small:!0,disabled:!R(t),onClick:()=>i(R(t)),children:"Fill the form"}),t!==""&&!R(t)&&j("span",{class:"err",children:"No server is found in this."})]})]})]})}import{send as Ot}from"./core.js";import{Button as Ut}from"./core.js";import{Fragment as Bt,jsx as se,jsxs as _e}from"./core.js";function Ne({form:e,set:t,fail:n}){let i=[...e.headers.map(o=>({p:o,where:"headers"})),...e.env.map(o=>({p:o,where:"env"}))].map(({p:o,where:a})=>({found:we(e.id,o),p:o,where:a})).filter(o=>o.found);return se(Bt,{children:i.map(({found:o,p:a,where:r})=>_e("div",{class:"note mid row spread","data-testid":"secret-proposal","data-id":o.name,children:[_e("span",{children:[a.name," looks like a secret. Keep it under Settings and write"," ",se("code",{children:"${"+o.name+"}"})," here."]}),se(Ut,{tid:"secret-take",small:!0,kind:"primary",onClick:async()=>{try{await Ot("PUT","/api/secrets/"+encodeURIComponent(o.name),{value:o.value}),t({[r]:e[r].map(d=>d===a?o.pair:d)})}catch(d){n(d)}},children:"Keep it there"})]}))})}import{Button as He,Text as $e}from"./core.js";import{Foreign as Dt}from"./core.js";import{Check as zt}from"./core.js";import{jsx as W,jsxs as le}from"./core.js";function Le({form:e,consent:t}){return le("div",{class:"note mid","data-testid":"stdio-preview",children:[le("span",{children:["This starts, with nothing else of your environment but"," ",["PATH, HOME, language",...e.env.map(n=>n.name)].join(", "),":"]}),W("ol",{children:[e.command,...e.args].map((n,i)=>W("li",{children:le("code",{children:[i===0?"program":"argument "+i,": ",W(Dt,{text:n})]})}))}),W(zt,{tid:"stdio-consent",checked:t.given,onChange:t.give,children:"Run this program on my machine"})]})}import{Fragment as _t,jsx as w,jsxs as de}from"./core.js";function je({form:e,set:t,known:n,consent:i}){return de(_t,{children:[w($e,{tid:"stdio-command",label:"Program",mono:!0,value:e.command,onInput:o=>t({command:o}),hint:"A path, or a name on the PATH. No shell reads it."}),de("fieldset",{class:"field",children:[w("legend",{class:"label",children:"Arguments, one each"}),e.args.map((o,a)=>de("div",{class:"row nowrap",children:[w("input",{class:"input mono","aria-label":"Argument "+(a+1),"data-testid":"stdio-arg",value:o,onInput:r=>t({args:e.args.map((d,c)=>c===a?r.currentTarget.value:d)})}),w(He,{tid:"stdio-arg-remove",small:!0,kind:"quiet",icon:"close",label:"Remove argument "+(a+1),onClick:()=>t({args:e.args.filter((r,d)=>d!==a)})})]},a)),w("div",{class:"row",children:w(He,{tid:"stdio-arg-add",small:!0,icon:"plus",onClick:()=>(t({args:[...e.args,""]}),L("stdio-arg")),children:"Argument"})})]}),w(H,{tid:"stdio-env",label:"Environment",list:e.env,known:n,onChange:o=>t({env:o})}),w($e,{tid:"stdio-cwd",label:"Working directory",mono:!0,value:e.cwd,onInput:o=>t({cwd:o})}),w(Le,{form:e,consent:i})]})}import{Foreign as We}from"./core.js";import{ms as Ke}from"./core.js";import{jsx as x,jsxs as D}from"./core.js";var Nt={settings:"Settings",start:"Start the program",resolve:"Resolve the name",connect:"Connect",tls:"TLS",auth:"Sign-in",initialize:"Initialize",list:"List the tools"},Lt={ok:["\u2713","ok","done"],failed:["\u2717","err","failed"],skipped:["\u2013","muted","not needed"]};function Ve({trial:e}){return D("div",{class:"note "+(e.ok?"good":"bad"),"data-testid":"trial","data-ok":e.ok?"yes":"no",children:[x("strong",{role:"status",children:e.ok?"The connection works: "+Ke(e.latencyMs):"The connection does not work"}),x("ol",{class:"stepper",children:e.steps.map(t=>{let[n,i,o]=Lt[t.status]??["?","",t.status];return D("li",{"data-testid":"trial-step","data-step":t.name,"data-status":t.status,children:[x("span",{class:i,"aria-hidden":"true",children:n}),D("span",{class:"grow",children:[Nt[t.name]??t.name," ",x("span",{class:"vh",children:o}),t.detail&&D("span",{class:"small wrap "+(t.status==="failed"?"err":"muted"),children:[" ",x(We,{text:t.detail})]})]}),x("span",{class:"num muted nobreak",children:t.status==="skipped"||t.name==="auth"&&t.status==="ok"?"":Ke(t.elapsedMs)})]})})}),!e.ok&&e.steps.length===0&&e.error&&x(We,{text:e.error}),e.missing&&D("span",{class:"err",children:["No value for ",e.missing.join(", "),"."," ",x("a",{href:"/settings/secrets","data-testid":"trial-secrets",children:"Set it"})]}),x("span",{class:"hint",children:"Nothing was kept, and no running session was touched."})]})}var Ze=`.split.form {
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
`;import{jsx as p,jsxs as S}from"./core.js";Gt(Ze);function qt(e){return e.id===""?"Give it an id.":q(e.id)?"Change the id.":te(e.prefix)?"Change the prefix of its tools.":e.transport==="stdio"?e.command===""?"Name the program.":"":/^https?:\/\//.test(e.url)||e.url.startsWith("${")?"":"Give a URL that begins with http:// or https://."}function Hi({args:e}){let t=e[0]??"",[n,i]=T(null),[o,a]=T(t?null:be()),r=Qe(async s=>t?Xe("/api/mcp/servers/"+encodeURIComponent(t),s):null,[t]);Je(()=>{!r.data||o||(i(r.data),a(X(r.data)))},[r.data]);let d=t?"Edit "+(n?.name||t):"Connect a server",c=[["MCP Servers","/servers"],...t?[[t,"/servers/"+encodeURIComponent(t)]]:[]];return o?p(Jt,{given:t,title:d,crumbs:c,server:n,setServer:i,form:o,setForm:a}):p(Ye,{title:d,crumbs:c,children:r.error!==null?p(et,{error:r.error,retry:r.reload}):p(Vt,{what:"the connection"})})}function Jt({given:e,title:t,crumbs:n,server:i,setServer:o,form:a,setForm:r}){let[d,c]=T(null),[s,l]=T(null),[f,g]=T(""),[K,pe]=T(!1),[z,_]=T(null),ue=$t(null);Je(()=>ue.current?.scrollIntoView({block:"nearest"}),[d,s]);let V=Ae([a.command,...a.args]),tt=Qe(u=>Xe("/api/secrets",u),[],["settings"]),me=new Set((tt.data?.items??[]).filter(u=>u.origin!=="missing").map(u=>u.name)),C=u=>(l(null),r({...a,...u})),E=qt(a),Z=a.transport==="stdio"&&!V.given?"Tick that this program may run on your machine.":"",ge=()=>a.transport==="stdio"&&V.note(),G=async u=>{g(u?"connect":"save"),c(null);try{let{data:y}=await jt("POST","/api/mcp/servers",Y(a,i?.version??0)),P=y.name||y.id;u?(ge(),await qe("/api/mcp/servers/"+encodeURIComponent(y.id)+"/connect").then(()=>ce("Connected "+P),()=>ce("Saved "+P+", but it could not be connected.",void 0,!0))):ce("Saved "+P),Wt("/servers/"+encodeURIComponent(y.id),!e)}catch(y){let P=y instanceof Ge?y.problem.current:void 0;P&&y instanceof Ge&&y.code==="version_conflict"?_(P):c(y),g("")}},nt=async()=>{g("test"),l(null),c(null);try{ge(),l(await qe("/api/mcp/servers/test",Y(a,i?.version??0)))}catch(u){c(u)}finally{g("")}};return S(Ye,{title:t,crumbs:n,own:[{id:"save",label:"Save",keys:"mod+s",run:()=>E===""&&void G(!1)}],children:[S("div",{class:"stack",children:[!e&&p(ze,{fill:u=>C({...u,id:(u.id??"")||a.id})}),S("div",{class:"split form",children:[p(ve,{given:e,form:a,set:C}),S("section",{class:"card stack reach",children:[p(Zt,{tid:"transport",label:"Transport",value:a.transport,options:[["http","Streamable HTTP"],["stdio","stdio"],["sse","SSE (legacy)"]],onChange:u=>C({transport:u})}),a.transport==="stdio"?p(je,{form:a,set:C,known:me,consent:V}):p(De,{form:a,set:C,known:me}),p(Ne,{form:a,set:C,fail:c}),i?.masked&&S("p",{class:"hint",children:["*** stands for what is stored in ",i.masked.join(", "),". Left as it is, it stays."]}),(d!==null||s)&&S("div",{class:"stack",ref:ue,children:[d!==null&&p(et,{error:d}),s&&p(Ve,{trial:s})]})]}),p(Ce,{given:e,form:a,set:C})]})]}),S("div",{class:"actionbar",children:[i&&p(F,{tid:"server-delete",small:!0,kind:"danger",onClick:()=>pe(!0),children:"Delete"}),p("span",{class:"grow hint","data-testid":"server-reason",children:E||Z}),e&&p("a",{class:"btn small quiet",href:"/servers/"+encodeURIComponent(e),"data-testid":"server-cancel",children:"Cancel"}),p(F,{tid:"server-test",small:!0,busy:f==="test",disabled:E!==""||Z!=="",onClick:()=>{nt()},children:"Test connection"}),p(F,{tid:"server-save",small:!0,busy:f==="save",disabled:E!=="",onClick:()=>{G(!1)},children:"Save"}),p(F,{tid:"server-save-connect",small:!0,kind:"primary",busy:f==="connect",disabled:E!==""||Z!=="",onClick:()=>{G(!0)},children:"Save and connect"})]}),K&&i&&p(Me,{server:i,onClose:()=>pe(!1),fail:c}),z&&p(Kt,{tid:"conflict-dialog",title:"Somebody else saved this server",onClose:()=>_(null),children:S("footer",{children:[p(F,{tid:"conflict-take",onClick:()=>(o(z),r(X(z)),_(null)),children:"Take theirs"}),p(F,{tid:"conflict-keep",kind:"primary",onClick:()=>(o(z),_(null)),children:"Keep mine"})]})})]})}export{Hi as Connection};

import{useState as Gt}from"./core.js";import{all as Vt,get as Ze}from"./core.js";import{go as $e}from"./core.js";import{Page as Zt}from"./core.js";import{useData as oe}from"./core.js";import{Loading as qe,ProblemView as ie}from"./core.js";import{adopt as $t}from"./core.js";var N=e=>"/api/mcp/servers/"+encodeURIComponent(e);import{post as rt}from"./core.js";import{Foreign as G}from"./core.js";import{Ago as ge,Button as V,counted as Z,ms as st}from"./core.js";import{parse as Yt}from"./core.js";var le=e=>e.toLowerCase().replace(/[^a-z0-9]+/g,"_").replace(/^_+|_+$/g,"")||"s",ae=e=>e!==null&&typeof e=="object"?Object.entries(e).map(([t,n])=>({name:t,value:String(n)})):[];var Je=e=>e!==null&&typeof e=="object"&&!Array.isArray(e)?e:null;function ce(e){let t={...e.connection},n=o=>{let i=t[o];return delete t[o],i},r=e.transport||e.status.endpoint.kind||("command"in t?"stdio":"http");return{id:e.id,name:e.name??"",description:e.description??"",category:e.category??"",tags:(e.tags??[]).join(", "),transport:r,url:String(n("url")??""),endpoint:String(n("endpoint")??""),headers:ae(n("headers")),command:String(n("command")??""),args:(n("args")??[]).map(String),env:ae(n("env")),cwd:String(n("cwd")??""),timeoutMs:e.timeoutMs?String(e.timeoutMs):"",disabled:e.disabled??!1,auto:e.autoConnect??!1,oauth:Je(n("oauth")),only:e.toolSelection?.only?.join(`
`)??null,except:(e.toolSelection?.except??[]).join(`
`),prefix:e.toolPrefix??"",rest:t}}import{useEffect as Ke,useState as de}from"./core.js";import{kept as z}from"./core.js";async function Ye(e){if(!crypto.subtle)return"";let t=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(JSON.stringify(e)));return Array.from(new Uint8Array(t),n=>n.toString(16).padStart(2,"0")).join("")}function pe(e){let t=JSON.stringify(e),[n,r]=de({of:"",hash:"",before:!1}),[o,i]=de("");return Ke(()=>{let s=!1;return Ye(e).then(m=>!s&&r({of:t,hash:m,before:m!==""&&z.read("lp-ran-"+m)!==null})),()=>{s=!0}},[t]),{given:o===t||n.of===t&&n.before,give:s=>{i(s?t:""),!s&&n.of===t&&(z.write("lp-ran-"+n.hash,null),r({...n,before:!1}))},note:()=>n.of===t&&n.hash!==""&&z.write("lp-ran-"+n.hash,"yes")}}import{Foreign as Qe}from"./core.js";import{Check as Xe}from"./core.js";import{jsx as D,jsxs as W}from"./core.js";function me({form:e,consent:t}){return W("div",{class:"note mid","data-testid":"stdio-preview",children:[W("span",{children:["This starts, with nothing else of your environment but"," ",["PATH, HOME, language",...e.env.map(n=>n.name)].join(", "),":"]}),D("ol",{children:[e.command,...e.args].map((n,r)=>D("li",{children:W("code",{children:[r===0?"program":"argument "+r,": ",D(Qe,{text:n})]})}))}),D(Xe,{tid:"stdio-consent",checked:t.given,onChange:t.give,children:"Run this program on my machine"})]})}import{jsx as ot,jsxs as it}from"./core.js";var et={idle:["idle","off"],connecting:["connecting","mid"],connected:["connected","good"],error:["error","bad"],"circuit-open":["keeps failing","bad"],"missing-config":["needs settings","mid"],"awaiting-authorization":["needs sign-in","mid"],disabled:["disabled","off"],stopped:["stopped","off"],closing:["closing","off"]},tt={"circuit-open":"It failed several times in a row, so it is left alone for a while. Connect tries again at once.","missing-config":"A variable that its connection names has no value. Set it under Settings, Secrets.",idle:"Nothing has asked it yet. Connect asks it now."},nt={http:"Streamable HTTP",sse:"SSE (legacy)"},ue=e=>nt[e]??e,H=e=>e.toLowerCase().replaceAll("_","-"),j=e=>tt[H(e)]??"";function he({state:e,tid:t}){let[n,r]=et[H(e)]??[e,"off"];return it("span",{class:"state "+r,"data-testid":t??"server-state","data-state":H(e),title:j(e)||void 0,children:[ot("span",{class:"dot"+(r==="good"?" on":""),"aria-hidden":"true"}),n]})}import{Fragment as at,jsx as u,jsxs as y}from"./core.js";function fe({server:e,fail:t,reload:n}){let{id:r,status:o}=e,i="/servers/"+encodeURIComponent(r),s=ce(e),m=s.transport==="stdio",p=pe([s.command,...s.args]),l=o.state==="CONNECTED",d=a=>{t(null),rt(N(r)+"/"+a).catch(t).then(n)},g=e.disabled?"It is disabled: nothing connects to it. Edit it to change that.":o.missing?"":j(o.state);return y("section",{class:"card stack","aria-label":"Health","data-testid":"server-status",children:[y("div",{class:"row spread",children:[y("span",{class:"row",children:[u(he,{state:e.disabled?"disabled":o.state}),o.server?.name&&u("strong",{class:"wrap",children:u(G,{text:o.server.name+" "+(o.server.version??"")})})]}),y("span",{class:"row",children:[l?y(at,{children:[u(V,{tid:"server-sync",onClick:()=>d("sync"),title:"Asks the server again what it offers",children:"Refresh"}),u(V,{tid:"server-stop",onClick:()=>d("stop"),children:"Disconnect"})]}):o.state!=="AWAITING_AUTHORIZATION"&&u(V,{tid:"server-connect",kind:"primary",disabled:(e.disabled??!1)||m&&!p.given,onClick:()=>(m&&p.note(),d("connect")),children:"Connect"}),u("a",{class:"btn",href:i+"/inspect/tools","data-testid":"server-inspect",children:"Inspect"}),u("a",{class:"btn",href:i+"/edit","data-testid":"server-edit",children:"Edit"})]})]}),e.description&&u("p",{class:"wrap",children:u(G,{text:e.description})}),g&&u("p",{class:"hint","data-testid":"server-meaning",children:g}),m&&!l&&!e.disabled&&u(me,{form:s,consent:p}),y("dl",{class:"facts",children:[y("div",{children:[u("dt",{children:ue(o.endpoint.kind)}),u("dd",{children:u("code",{class:"wrap",children:u(G,{text:o.endpoint.address})})})]}),y("div",{children:[u("dt",{children:l?"Connected":"Since"}),y("dd",{children:[u(ge,{at:o.since}),l&&o.connectMs?", took "+st(o.connectMs):""]})]}),y("div",{children:[u("dt",{children:"Offers"}),u("dd",{class:"num","data-testid":"server-offers",children:o.lastSyncedAt?[Z(o.toolCount,"tool")+(o.toolsLeftOut?" ("+o.toolsLeftOut+" left out)":""),Z(o.resourceCount,"resource"),Z(o.promptCount,"prompt")].join(", "):"not known yet"})]}),o.lastSyncedAt&&y("div",{children:[u("dt",{children:"Last asked"}),u("dd",{children:u(ge,{at:o.lastSyncedAt})})]}),o.protocol&&y("div",{children:[u("dt",{children:"Protocol"}),u("dd",{class:"num",children:o.protocol})]}),o.running+o.waiting>0&&y("div",{children:[u("dt",{children:"Calls"}),y("dd",{class:"num",children:[o.running," running",o.waiting>0?", "+o.waiting+" waiting":""]})]})]})]})}import{get as pt,query as $}from"./core.js";import{useData as mt}from"./core.js";import{Foreign as ut}from"./core.js";import{Ago as ht,Loading as gt,ms as ft,ProblemView as wt}from"./core.js";import{jsx as ct,jsxs as dt}from"./core.js";var lt={RUNNING:["running","mid","\u2026"],ok:["ok","good","\u2713"],OK:["ok","good","\u2713"],error:["error","bad","\u2715"],ERROR:["error","bad","\u2715"],cancelled:["cancelled","off","\u2013"],CANCELLED:["cancelled","off","\u2013"],blocked:["blocked","mid","!"],paused:["paused","mid","\u2016"],incomplete:["incomplete","mid","?"],INCOMPLETE:["incomplete","mid","?"]};function we({of:e,tid:t}){let[n,r,o]=lt[e]??[e,"off","?"];return dt("span",{class:"state "+r,"data-testid":t,"data-status":e,children:[ct("span",{class:"sign","aria-hidden":"true",children:o}),n]})}function ve(e,t,n){let r=[];for(let o of e)for(let i of o.tools??[]){if(i.server!==t)continue;let s=o.operation==="execute_tool"||o.operation==="tools/call",m=o.status==="RUNNING"?o.status:o.outcome??o.status;r.push({trace:o.traceId,operation:o.operation,tool:i.name.startsWith(n+"_")?i.name.slice(n.length+1):i.name,times:i.calls,at:i.lastAt,ms:i.lastMs,outcome:s?m:i.errors>0?"error":o.status==="RUNNING"?m:"ok"})}return r.sort((o,i)=>Date.parse(i.at)-Date.parse(o.at))}import{jsx as S,jsxs as T}from"./core.js";var be=10,vt={invoke_agent:"in a chat","tools/call":"by a client",execute_tool:"by hand"};function ye({server:e}){let t={win:"all",server:e.id},{data:n,error:r,reload:o}=mt(s=>pt("/api/observe/traces"+$({...t,limit:be}),s),[e.id],["observe"]),i=ve(n?.items??[],e.id,e.toolPrefix||le(e.id)).slice(0,be);return T("section",{class:"card stack tight","aria-labelledby":"server-calls-title","data-testid":"server-calls",children:[T("div",{class:"row spread",children:[S("h2",{id:"server-calls-title",children:"Last calls"}),i.length>0&&S("a",{href:"/observe/traces"+$(t),"data-testid":"server-calls-all",children:"All calls"})]}),r!==null&&S(wt,{error:r,retry:o}),!n&&r===null&&S(gt,{what:"the last calls",lines:3}),n&&i.length===0&&S("p",{class:"muted",children:"None since the playground started."}),S("ul",{class:"stack tight",children:i.map(s=>S("li",{children:T("a",{class:"pickrow callrow",href:"/observe/traces"+$({...t,trace:s.trace}),"data-testid":"server-call","data-id":s.tool,children:[T("strong",{class:"wrap",children:[S(ut,{text:s.tool}),s.times>1&&T("span",{class:"muted num",children:[" \xD7",s.times]})]}),S(we,{of:s.outcome,tid:"server-call-outcome"}),T("span",{class:"muted small",children:[vt[s.operation]??""," ",S(ht,{at:s.at})]}),S("span",{class:"muted small num",children:ft(s.ms)})]})},s.trace+s.tool))})]})}import{useState as Y}from"./core.js";import{Foreign as Pe}from"./core.js";import{Button as E,Check as Ue,counted as De}from"./core.js";import{Level as Nt}from"./core.js";import{useState as J}from"./core.js";import{post as K}from"./core.js";import{Foreign as Me}from"./core.js";import{Tree as Oe}from"./core.js";import{Button as Ae,counted as Re,Dialog as kt,ProblemView as St,Select as Ct,toast as It}from"./core.js";import{Level as Mt,rankOf as Ne,wordsOf as Ot}from"./core.js";import{Foreign as bt}from"./core.js";import{Fragment as yt,jsx as L,jsxs as xe}from"./core.js";function ke({changes:e}){let t=(n,r,o,i)=>o.length>0&&xe("div",{class:i,"data-testid":r,children:[L("strong",{children:n}),L("ul",{children:o.map(s=>L("li",{children:L(bt,{text:`It ${s.says}.`})}))})]});return xe(yt,{children:[t("More than you approved","plan-wider",e.filter(n=>n.widens),"warn"),t("Other differences","plan-different",e.filter(n=>!n.widens))]})}var xt={chat:!1,clients:!1};function q(e){if(!e||e.state==="awaiting-approval")return xt;let t=e.audience??"";return{chat:t===""||t==="chat",clients:t===""||t==="clients"}}var Se=e=>e.chat&&e.clients?void 0:e.chat?"chat":e.clients?"clients":"none";function Ce(e,t,n){let r=[];for(let o of e){let i=t.find(g=>g.toolName===o.key),s=q(i),m=n.get(o.key)??s,p=m.chat||m.clients,l=p&&i?.approvedFingerprint!==o.fingerprint,d=l&&n.has(o.key);s.chat===m.chat&&s.clients===m.clients&&!d||r.push({item:o,member:i,from:s,to:m,review:l,levelOpen:p&&o.risk?.level==="unknown"})}return r}function Ie({from:e,to:t}){let n=(r,o,i)=>o===i?i?r+" stays on":"":r+(i?" on":" off");return[n("chat",e.chat,t.chat),n("clients",e.clients,t.clients)].filter(Boolean).join(", ")}import{Fragment as Te,jsx as v,jsxs as M}from"./core.js";var At=["L0","L1","L2","L3","L4","L5"];function Ee({id:e,plan:t,onClose:n,onDone:r}){let[o,i]=J(new Map),[s,m]=J(!1),[p,l]=J(null),d=a=>o.get(a.item.key)??a.item.risk?.proposed??"",g=async()=>{m(!0),l(null);try{for(let a of t)await Rt(e,a,a.levelOpen?d(a):"");It("Saved: "+Re(t.length,"change")),r()}catch(a){l(a)}finally{m(!1)}};return M(kt,{tid:"plan-review",title:"Review "+Re(t.length,"change"),onClose:n,cls:"wide",children:[v("ul",{class:"stack scroll-y",children:t.map(a=>M("li",{class:"stack tight card","data-testid":"plan-step","data-id":a.item.key,children:[M("div",{class:"row spread",children:[v("strong",{children:v(Me,{text:a.item.key})}),v("span",{children:Ie(a)})]}),a.review&&M(Te,{children:[v("p",{class:"wrap",children:v(Me,{text:String(a.item.definition.description??"It has no description.")})}),v(ke,{changes:a.member?.changes??[]}),M("details",{children:[v("summary",{"data-testid":"plan-definition",children:a.member?.approvedFingerprint?"Its definition changed: see both":"The whole definition"}),a.member?.approvedDefinition!==void 0&&M(Te,{children:[v("h4",{children:"Approved before"}),v(Oe,{tid:"plan-before",value:a.member.approvedDefinition}),v("h4",{children:"Now"})]}),v(Oe,{tid:"plan-now",value:a.item.definition})]})]}),a.item.risk?.findings?.map(f=>M("p",{class:"warn",children:["A scan found ",f.rule," (",f.severity,"): ",f.detail]})),a.levelOpen?v(Ct,{tid:"plan-level",label:"Risk level",value:d(a),options:[...At.filter(f=>Ne(f)>=Ne(a.item.risk.least)).map(f=>[f,Ot(f)+(f===a.item.risk.proposed?" (proposed)":"")]),["","Leave unconfirmed"]],onChange:f=>i(new Map([...o,[a.item.key,f]])),hint:a.item.risk?.reasons?.[0]}):a.item.risk&&v(Mt,{level:a.item.risk.level,proposed:a.item.risk.proposed})]}))}),v("p",{class:"hint",children:"A tool that is on can be asked for by a model or a client. Each call still passes your policies and approvals."}),p!==null&&v(St,{error:p}),M("footer",{children:[v(Ae,{tid:"plan-cancel",onClick:n,children:"Cancel"}),v(Ae,{tid:"plan-apply",kind:"primary",busy:s,onClick:()=>{g()},children:"Approve and save"})]})]})}async function Rt(e,t,n){let r={serverId:e,toolName:t.item.key},o=t.item.fingerprint;n&&await K(N(e)+"/levels",{toolName:t.item.key,fingerprint:o,level:n});let i=Se(t.to);await K("/api/mcp/compositions",{...r,...i?{audience:i}:{},...t.member?.alias?{alias:t.member.alias}:{},...t.member?.description?{description:t.member.description}:{},...t.member?.hitl?{hitl:!0}:{}}),t.review&&await K("/api/mcp/compositions/approve",{...r,fingerprint:o})}import{Fragment as Et,jsx as w,jsxs as b}from"./core.js";var Q=300;function Le({server:e,caps:t,members:n,reload:r}){let[o,i]=Y(new Map),[s,m]=Y(""),[p,l]=Y(!1),d=t.tools.filter(c=>!c.leftOut),g=d.filter(c=>(c.key+JSON.stringify(c.definition)).toLowerCase().includes(s.toLowerCase())),a=c=>n.find(x=>x.toolName===c),f=c=>o.get(c)??q(a(c)),A=(c,x)=>i(new Map([...o,...c.map(se=>[se,{...f(se),...x}])])),R=Ce(d,n,o),U=g.map(c=>c.key),F=()=>{l(!1),i(new Map),r()},k=t.tools.length-d.length;return b("section",{class:"card stack","aria-labelledby":"server-switches-title","data-testid":"server-switches",children:[b("div",{class:"row spread",children:[b("h2",{id:"server-switches-title",children:["Tools ",w("span",{class:"muted num",children:d.length})]}),R.length>0&&b("span",{class:"row",children:[w(E,{tid:"switches-discard",kind:"quiet",onClick:()=>i(new Map),children:"Discard"}),b(E,{tid:"switches-review",kind:"primary",onClick:()=>l(!0),children:["Review ",De(R.length,"change")]})]})]}),d.length===0&&w("p",{class:"muted","data-testid":"server-no-tools",children:k>0?"The filter of this connection leaves all of its tools out.":t.syncStatus==="NEVER_SYNCED"?"Not known yet: connect to see them.":"It offers no tool."}),d.length>0&&b(Et,{children:[w("p",{class:"hint",children:"Switch a tool on for your chats, or for the clients that connect to localpass."}),b("div",{class:"row",children:[w("input",{class:"input grow",type:"search","data-filter":!0,"aria-label":"Search the tools",placeholder:"Search   /","data-testid":"switches-search",value:s,onInput:c=>m(c.currentTarget.value),onKeyDown:c=>c.key==="Escape"&&m("")}),w(E,{tid:"switches-all-chat",small:!0,onClick:()=>A(U,{chat:!0}),children:"All in chat"}),w(E,{tid:"switches-all-clients",small:!0,onClick:()=>A(U,{clients:!0}),children:"All for clients"})]})]}),d.length>0&&g.length===0&&b("p",{class:"muted",role:"status",children:['No tool matches "',s,'".']}),w("ul",{class:"switches",children:g.slice(0,Q).map(c=>w(Tt,{server:e.id,tool:c,member:a(c.key),state:f(c.key),set:x=>A([c.key],x),again:()=>(A([c.key],{}),l(!0))},c.key))}),g.length>Q&&b("p",{class:"hint",children:[g.length-Q," more: search for them."]}),k>0&&b("p",{class:"hint",children:[De(k,"tool")," left out by the filter of this connection."," ",w("a",{href:"/servers/"+encodeURIComponent(e.id)+"/edit","data-testid":"switches-filter",children:"Change the filter"})]}),p&&w(Ee,{id:e.id,plan:R,onClose:()=>l(!1),onDone:F})]})}function Tt({server:e,tool:t,member:n,state:r,set:o,again:i}){return b("li",{"data-testid":"switch-row","data-id":t.key,children:[b("span",{class:"what",children:[w("a",{class:"wrap",href:"/servers/"+encodeURIComponent(e)+"/inspect/tools?item="+encodeURIComponent(t.key),"data-row":!0,"data-testid":"switch-open","data-id":t.key,children:w(Pe,{text:t.key})}),w("span",{class:"muted clamp",children:w(Pe,{text:String(t.definition.description??"")})}),(n?.state==="changed"||n?.state==="blocked")&&b("span",{class:"warn","data-testid":"switch-"+n.state,children:[n.state==="changed"?"Changed: review it again":"Not offered: a scan blocks its text"," ",w(E,{tid:"switch-again",dataId:t.key,small:!0,onClick:i,children:"Review"})]}),n?.state==="name-taken"&&b("span",{class:"warn",children:["Not offered: another tool has the name ",n.name]}),n?.state==="shadowing"&&b("span",{class:"warn","data-testid":"switch-shadowing",children:[n.clash?.rule==="R2_CROSS_SERVER_REFERENCE"?"Not offered: its text tells the model to call "+n.clash.with:"Not offered: its name "+n.name+" looks like that of "+(n.clash?.with??"another tool")," ","(",n.clash?.rule,")"]})]}),w(Nt,{level:t.risk?.level??"unknown",proposed:t.risk?.proposed,tid:"switch-level"}),b("span",{class:"row nowrap",children:[w(Ue,{tid:"switch-chat",dataId:t.key,checked:r.chat,onChange:s=>o({chat:s}),children:"chat"}),w(Ue,{tid:"switch-clients",dataId:t.key,checked:r.clients,onChange:s=>o({clients:s}),children:"clients"})]})]})}import{useEffect as X,useState as P}from"./core.js";import{get as Pt,post as Ut,send as Dt}from"./core.js";import{useData as Lt}from"./core.js";import{Foreign as _}from"./core.js";import{Ago as _t,announce as ee,Button as _e,Copy as lo,ProblemView as Be}from"./core.js";import{jsx as h,jsxs as I}from"./core.js";var Fe=e=>/^https?:\/\//.test(e);function Bt(e){let t=Math.max(0,Math.ceil((Date.parse(e??"")-Date.now())/1e3));return Math.floor(t/60)+":"+String(t%60).padStart(2,"0")}function Ft(e){return Lt(t=>e?Pt("/api/mcp/servers/"+encodeURIComponent(e)+"/authorization",t):Promise.resolve(null),[e],["servers"])}function ze({id:e,state:t}){let{data:n,error:r,reload:o}=Ft(e),[i,s]=P(""),[m,p]=P(!1),[l,d]=P(!1),[g,a]=P(null),[,f]=P(0),A=n?.waiting&&Date.parse(n.until??"")>Date.now();X(()=>{if(!n?.waiting)return;let c=setInterval(()=>f(x=>x+1),1e3);return()=>clearInterval(c)},[n?.waiting]),X(()=>{n?.authorized&&(s(""),p(!1)),n?.denied&&ee("Access was denied")},[n?.authorized,n?.denied]);let R=t==="CONNECTED";if(X(()=>{i!==""&&R&&ee("Connected")},[R]),r!==null)return h(Be,{error:r,retry:o});if(!n||!n.configured&&t!=="AWAITING_AUTHORIZATION")return null;let U=async()=>{let c=window.open("about:blank","_blank","popup,width=520,height=720");d(!0),a(null);try{let{url:x}=await Ut("/api/mcp/servers/"+encodeURIComponent(e)+"/authorization");if(!Fe(x))throw new Error("The sign-in page has an address that is not opened.");s(x),p(!c),c&&(c.opener=null,c.location.replace(x))}catch(x){c?.close(),a(x)}finally{d(!1),o()}},F=async()=>{a(null);try{await Dt("DELETE","/api/mcp/servers/"+encodeURIComponent(e)+"/authorization"),ee("Signed out")}catch(c){a(c)}o()},k=n.authorized?R?"connected":"authorized":A&&i!==""?"waiting":n.denied?"denied":n.late||n.waiting&&!A?"expired":n.failure?"failed":"configured";return I("section",{class:"note "+({connected:"good",authorized:"good",denied:"bad",failed:"bad"}[k]??"mid"),"data-testid":"signin","data-state":k,"aria-labelledby":"signin-title",children:[h("h2",{id:"signin-title",children:"Sign-in"}),!n.configured&&I("p",{children:["The server wants a sign-in, and this connection has none."," ",h("a",{href:"/servers/"+encodeURIComponent(e)+"/edit","data-testid":"signin-edit",children:"Edit the connection"})," ","and choose OAuth."]}),k==="configured"&&n.configured&&I("p",{children:["Somebody must sign in at ",n.issuer?h(_,{text:n.issuer}):"the server"," before this connection can be used."]}),k==="waiting"&&I("p",{role:"status",children:["Waiting for you in the other window. ",Bt(n.until)," left. This page goes on by itself."]}),m&&Fe(i)&&I("p",{class:"row",children:[h("span",{children:"The browser blocked the window."}),h("a",{class:"btn primary small",href:i,target:"_blank",rel:"noopener noreferrer","data-testid":"signin-link",onClick:()=>p(!1),children:"Open the sign-in page"})]}),k==="denied"&&h("p",{children:"Access was denied. Nothing was connected."}),k==="expired"&&h("p",{children:"The sign-in was not finished within ten minutes."}),k==="failed"&&I("p",{children:["The sign-in failed: ",h(_,{text:n.failure??""})]}),n.authorized&&I("dl",{class:"kv",children:[h("dt",{children:"Signed in at"}),h("dd",{children:h(_,{text:n.issuer??""})}),h("dt",{children:"May"}),h("dd",{children:n.scopes.length>0?n.scopes.map(c=>h("span",{class:"chip tag",children:h(_,{text:c})})):"what the server allows without scopes"}),h("dt",{children:"Until"}),I("dd",{children:[n.expiresAt?h(_t,{at:n.expiresAt}):"not said",n.renewable?", renewed by itself":""]})]}),g!==null&&h(Be,{error:g}),n.configured&&I("div",{class:"row",children:[h(_e,{tid:"signin-begin",small:!0,kind:n.authorized?void 0:"primary",busy:l,onClick:()=>{U()},children:n.authorized?"Sign in anew":k==="configured"?"Sign in":"Sign in again"}),n.authorized&&h(_e,{tid:"signin-end",small:!0,kind:"danger",onClick:()=>{F()},children:"Sign out"})]})]})}import{Foreign as te}from"./core.js";import{Fragment as zt,jsx as O,jsxs as B}from"./core.js";var ne=5;function He({list:e}){return O(zt,{children:e.map(t=>B("div",{class:"note "+t.tone,"data-testid":"server-warning","data-id":t.id,children:[B("span",{children:[t.text," ",t.way&&O("a",{href:t.way[1],"data-testid":"warning-way",children:t.way[0]})]}),t.tools&&B("span",{class:"wrap small",children:[O(te,{text:We(t.tools).join(", ")}),t.tools.length>ne&&" and "+(t.tools.length-ne)+" more"]}),We(t.claims??[]).map(n=>O("span",{class:"wrap small",children:O(te,{text:n})})),t.raw&&B("details",{children:[O("summary",{class:"small","data-testid":"warning-details",children:"Details"}),O("code",{class:"wrap",children:O(te,{text:t.raw})})]})]},t.id))})}var We=e=>e.slice(0,ne);var Wt=[[/connection refused/i,"Nothing answers at this address. Start the server, or correct the address."],[/no such host|lookup .* server misbehaving/i,"There is no server of this name. Correct the address."],[/x509|certificate|tls:/i,"Its certificate cannot be trusted."],[/\b(401|403)\b|unauthorized|forbidden/i,"It refuses the key or sign-in of this connection. Edit the connection."],[/\b404\b/,"The address is not that of an MCP server. Correct the address."],[/executable file not found|no such file|permission denied/i,"The program cannot be started. Correct its name or path."],[/exit status|exited|EOF|broken pipe|signal: /i,"The program or server ended the connection. Test it to see where."],[/deadline|timeout|timed out/i,"It did not answer in time."]],je=e=>Wt.find(([t])=>t.test(e))?.[1]??"It cannot be reached, or does not answer as an MCP server. Edit the connection and test it.";var Ht=(e,t,n)=>e===1?t:e.toLocaleString("en")+" "+n;function Ge(e,t,n){let r=[],{status:o}=e;!e.disabled&&o.missing?r.push({id:"missing-value",tone:"bad",text:"No value for "+o.missing.join(", ")+".",way:["Set it","/settings/secrets"]}):!e.disabled&&o.error&&o.state!=="AWAITING_AUTHORIZATION"&&r.push({id:"error",tone:"bad",text:je(o.error),raw:o.error}),t?.syncStatus==="SYNC_FAILED"?r.push({id:"sync-failed",tone:"mid",text:"It could not be asked for its tools the last time: this list may be old."}):t?.restored&&o.state!=="CONNECTED"&&t.tools.length>0&&r.push({id:"restored",tone:"mid",text:"This list is from before the program started. Connect to read it again."}),t?.problems&&t.problems.length>0&&r.push({id:"problems",tone:"mid",text:"Something that it offers could not be used and was left out.",claims:t.problems});let i=l=>n.filter(d=>d.state===l).map(d=>d.toolName),s=(l,d,g,a,f)=>{d.length>0&&r.push({id:l,tone:"mid",text:Ht(d.length,g,a),tools:d,...f?{way:f}:{}})};s("changed",i("changed"),"A tool changed since it was approved. It is off until you review it.","tools changed since they were approved. They are off until you review them."),s("blocked",i("blocked"),"A scan blocks the text of a tool. It is off until you review it and confirm its level.","tools have texts that a scan blocks. They are off until you review them and confirm their levels."),s("gone",i("missing"),"A tool that is switched on is not offered any more.","tools that are switched on are not offered any more."),s("name-taken",i("name-taken"),"A tool is not offered, because another one has its name.","tools are not offered, because others have their names.",["Change the prefix","/servers/"+encodeURIComponent(e.id)+"/edit"]),s("shadowing",i("shadowing"),"A tool is not offered, because it looks like a tool of another server, or orders the model to call one.","tools are not offered, because they look like tools of other servers, or order the model to call them."),s("invalid",i("invalid"),"A tool that is switched on has a definition that cannot be used.","tools that are switched on have definitions that cannot be used.");let m=new Set(i("served")),p=(t?.tools??[]).filter(l=>!l.leftOut);return s("unconfirmed",p.filter(l=>m.has(l.key)&&l.risk?.level==="unknown").map(l=>l.key),"A tool that is switched on has no confirmed risk level: you are asked before each call.","tools that are switched on have no confirmed risk level: you are asked before each call."),s("findings",p.filter(l=>(l.risk?.findings??[]).length>0).map(l=>l.key),"A scan found something suspicious in the texts of a tool.","tools have texts in which a scan found something suspicious."),r}var Ve=`.split.form {
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
`;import{Fragment as qt,jsx as C,jsxs as re}from"./core.js";$t(Ve);function Uo({args:e}){let t=e[0]??"",n="/servers/"+encodeURIComponent(t),r=oe(d=>Ze(N(t),d),[t],["servers"]),o=oe(d=>Ze(N(t)+"/capabilities",d),[t],["servers"]),i=oe(async d=>(await Vt("/api/mcp/compositions",d)).filter(g=>g.serverId===t),[t],["servers","tools"]),[s,m]=Gt(null),p=r.data,l=()=>(r.reload(),o.reload(),i.reload());return C(Zt,{title:p?.name||t,crumbs:[["MCP Servers","/servers"]],own:[{id:"edit",label:"Edit the connection",keys:"e",run:()=>$e(n+"/edit")},{id:"inspect",label:"Inspect the server",keys:"i",run:()=>$e(n+"/inspect/tools")}],children:re("div",{class:"stack",children:[r.error!==null&&C(ie,{error:r.error,retry:r.reload}),!p&&r.error===null&&C(qe,{what:"the server"}),p&&re(qt,{children:[C(fe,{server:p,fail:m,reload:l}),s!==null&&C(ie,{error:s}),C(He,{list:Ge(p,o.data,i.data??[])}),p.status.endpoint.kind!=="stdio"&&C(ze,{id:t,state:p.disabled?"disabled":p.status.state}),re("div",{class:"overview",children:[o.error!==null||i.error!==null?C(ie,{error:o.error??i.error,retry:l}):o.data&&i.data?C(Le,{server:p,caps:o.data,members:i.data,reload:l}):C(qe,{what:"the tools"}),C(ye,{server:p})]})]})]})})}export{Uo as ServerOverview};

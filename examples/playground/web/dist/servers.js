import{useState as U}from"./core.js";import{all as E,get as at,post as it,query as j}from"./core.js";import{go as ot,place as ct,setQuery as lt}from"./core.js";import{useData as _,useLater as dt}from"./core.js";import{Foreign as F}from"./core.js";import{Icon as pt}from"./core.js";import{Ago as mt,Button as L,counted as m,Empty as z,Loading as ut,ms as gt,ProblemView as D}from"./core.js";import{Page as ht}from"./core.js";import{adopt as ft}from"./core.js";var O=`.split.form {
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
`;import{Button as X}from"./core.js";import{parse as bt}from"./core.js";var A=t=>t!==null&&typeof t=="object"?Object.entries(t).map(([s,n])=>({name:s,value:String(n)})):[];var J=t=>t!==null&&typeof t=="object"&&!Array.isArray(t)?t:null;function M(t){let s={...t.connection},n=l=>{let d=s[l];return delete s[l],d},o=t.transport||t.status.endpoint.kind||("command"in s?"stdio":"http");return{id:t.id,name:t.name??"",description:t.description??"",category:t.category??"",tags:(t.tags??[]).join(", "),transport:o,url:String(n("url")??""),endpoint:String(n("endpoint")??""),headers:A(n("headers")),command:String(n("command")??""),args:(n("args")??[]).map(String),env:A(n("env")),cwd:String(n("cwd")??""),timeoutMs:t.timeoutMs?String(t.timeoutMs):"",disabled:t.disabled??!1,auto:t.autoConnect??!1,oauth:J(n("oauth")),only:t.toolSelection?.only?.join(`
`)??null,except:(t.toolSelection?.except??[]).join(`
`),prefix:t.toolPrefix??"",rest:s}}import{useEffect as Q,useState as N}from"./core.js";import{kept as w}from"./core.js";async function V(t){if(!crypto.subtle)return"";let s=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(JSON.stringify(t)));return Array.from(new Uint8Array(s),n=>n.toString(16).padStart(2,"0")).join("")}function P(t){let s=JSON.stringify(t),[n,o]=N({of:"",hash:"",before:!1}),[l,d]=N("");return Q(()=>{let i=!1;return V(t).then(p=>!i&&o({of:s,hash:p,before:p!==""&&w.read("lp-ran-"+p)!==null})),()=>{i=!0}},[s]),{given:l===s||n.of===s&&n.before,give:i=>{d(i?s:""),!i&&n.of===s&&(w.write("lp-ran-"+n.hash,null),o({...n,before:!1}))},note:()=>n.of===s&&n.hash!==""&&w.write("lp-ran-"+n.hash,"yes")}}import{jsx as T}from"./core.js";function R({server:t,connect:s}){let n=M(t),o=P([n.command,...n.args]);return n.transport==="stdio"&&!o.given&&!t.disabled?T("a",{class:"btn small",href:"/servers/"+encodeURIComponent(t.id),"data-testid":"server-agree","data-id":t.id,children:"Connect"}):T(X,{tid:"server-connect",small:!0,dataId:t.id,disabled:t.disabled??!1,onClick:s,children:"Connect"})}import{jsx as rt,jsxs as nt}from"./core.js";var x={idle:["idle","off"],connecting:["connecting","mid"],connected:["connected","good"],error:["error","bad"],"circuit-open":["keeps failing","bad"],"missing-config":["needs settings","mid"],"awaiting-authorization":["needs sign-in","mid"],disabled:["disabled","off"],stopped:["stopped","off"],closing:["closing","off"]},Y={"circuit-open":"It failed several times in a row, so it is left alone for a while. Connect tries again at once.","missing-config":"A variable that its connection names has no value. Set it under Settings, Secrets.",idle:"Nothing has asked it yet. Connect asks it now."},tt={http:"Streamable HTTP",sse:"SSE (legacy)"},B=t=>tt[t]??t,g=t=>t.toLowerCase().replaceAll("_","-"),et=t=>Y[g(t)]??"";function b({state:t,tid:s}){let[n,o]=x[g(t)]??[t,"off"];return nt("span",{class:"state "+o,"data-testid":s??"server-state","data-state":g(t),title:et(t)||void 0,children:[rt("span",{class:"dot"+(o==="good"?" on":""),"aria-hidden":"true"}),n]})}var st=[[/connection refused/i,"Nothing answers at this address. Start the server, or correct the address."],[/no such host|lookup .* server misbehaving/i,"There is no server of this name. Correct the address."],[/x509|certificate|tls:/i,"Its certificate cannot be trusted."],[/\b(401|403)\b|unauthorized|forbidden/i,"It refuses the key or sign-in of this connection. Edit the connection."],[/\b404\b/,"The address is not that of an MCP server. Correct the address."],[/executable file not found|no such file|permission denied/i,"The program cannot be started. Correct its name or path."],[/exit status|exited|EOF|broken pipe|signal: /i,"The program or server ended the connection. Test it to see where."],[/deadline|timeout|timed out/i,"It did not answer in time."]],q=t=>st.find(([s])=>s.test(t))?.[1]??"It cannot be reached, or does not answer as an MCP server. Edit the connection and test it.";import{Fragment as H,jsx as r,jsxs as a}from"./core.js";ft(O);function vt(){let t=new URLSearchParams(ct.value.query);return{q:t.get("q")??"",state:t.get("state")??"",cat:t.get("cat")??"",tag:t.get("tag")??""}}var y=t=>t.disabled?"disabled":g(t.status.state),S=t=>[...new Set(t.filter(s=>!!s))].sort();function Kt(){let[t,s]=U(vt),[n,o]=U(null),l=e=>{let c={...t,...e};s(c),lt(j({...c}))},d=dt(t.q.trim(),150),{data:i,error:p,reload:C}=_(async e=>{let[c,h]=await Promise.all([E("/api/mcp/servers",e),at("/api/mcp/builtin",e)]);return{servers:c,builtin:h}},[],["servers","home","tools"]),k=_(async e=>d===""?null:new Set((await E("/api/mcp/servers"+j({q:d}),e)).map(c=>c.id)),[d],["servers"]),Z=e=>t.q.trim()===""||(k.data?k.data.has(e.id):e.id.includes(t.q)),u=(i?.servers??[]).filter(e=>Z(e)&&(t.state===""||y(e)===t.state)&&(t.cat===""||e.category===t.cat)&&(t.tag===""||(e.tags??[]).includes(t.tag))),v=[t.q.trim(),t.state,t.cat,t.tag].filter(Boolean).length,$=()=>l({q:"",state:"",cat:"",tag:""}),K=[["state","State",S((i?.servers??[]).map(y)).map(e=>[e,x[e]?.[0]??e])],["cat","Category",S((i?.servers??[]).map(e=>e.category)).map(e=>[e,e])],["tag","Tag",S((i?.servers??[]).flatMap(e=>e.tags??[])).map(e=>[e,e])]],I=(e,c)=>it("/api/mcp/servers/"+encodeURIComponent(e)+"/"+c).then(C,o);return r(ht,{title:"MCP Servers",own:[{id:"new-server",label:"Connect a server",keys:"n",run:()=>ot("/servers/new")}],children:a("div",{class:"stack",children:[a("div",{class:"row spread",children:[r("span",{class:"num",role:"status","data-testid":"servers-count",children:i?i.servers.length>0?u.length+" of "+i.servers.length:"":"\u2026"}),a("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-new",children:[r(pt,{name:"plus"}),"Connect a server"]})]}),a("div",{class:"row choices",children:[r("input",{class:"input grow",type:"search","data-filter":!0,"data-testid":"servers-search","aria-label":"Search servers",placeholder:"Search servers and their tools   /",value:t.q,onInput:e=>l({q:e.currentTarget.value}),onKeyDown:e=>e.key==="Escape"&&l({q:""})}),K.map(([e,c,h])=>(h.length>1||t[e]!=="")&&a("select",{class:"input fit","aria-label":c,"data-testid":"servers-"+e,value:t[e],onChange:f=>l({[e]:f.currentTarget.value}),children:[a("option",{value:"",children:[c,": all"]}),h.map(([f,W])=>r("option",{value:f,selected:f===t[e],children:W}))]}))]}),p!==null&&r(D,{error:p,retry:C}),n!==null&&r(D,{error:n}),!i&&p===null&&r(ut,{what:"servers"}),i&&a(H,{children:[a("section",{"aria-labelledby":"layer-builtin",class:"stack tight",children:[r("h2",{id:"layer-builtin",children:"Built-in"}),a("a",{class:"card row spread pickrow",href:"/servers/builtin","data-row":!0,"data-testid":"builtin-row",children:[a("span",{class:"row",children:[r(b,{state:"connected"}),r("strong",{children:i.builtin.title}),r("code",{class:"wrap",children:i.builtin.endpoint})]}),a("span",{class:"num muted",children:[m(i.builtin.tools.filter(e=>e.clients).length,"tool"),","," ",m(i.builtin.clients.length,"client"),", ",m(i.builtin.calls,"call")]})]})]}),a("section",{"aria-labelledby":"layer-active",class:"card stack tight",children:[a("h2",{id:"layer-active",children:["Other servers ",r("span",{class:"muted num",children:u.length})]}),i.servers.length===0&&a(z,{title:"No other server is connected",children:[r("p",{children:"Connect one to see what it offers, call its tools and look at every message."}),r("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-empty-new",children:"Connect a server"})]}),i.servers.length>0&&u.length===0&&r(z,{title:t.q.trim()===""?"No server matches the filters":'No server matches "'+t.q+'"'+(v>1?" with "+(v-1)+(v===2?" filter":" filters"):""),children:r(L,{tid:"servers-clear",kind:"primary",onClick:$,children:"Clear the search and filters"})}),u.length>0&&a("table",{class:"cards servers",children:[r("thead",{children:a("tr",{children:[r("th",{scope:"col",children:"Server"}),r("th",{scope:"col",children:"State"}),r("th",{scope:"col",children:"Transport"}),r("th",{scope:"col",children:"Offers"}),r("th",{scope:"col",children:"Since"}),r("th",{scope:"col",children:r("span",{class:"vh",children:"Actions"})})]})}),r("tbody",{children:u.map(e=>a("tr",{"data-testid":"server-row","data-id":e.id,children:[a("td",{children:[r("a",{href:"/servers/"+encodeURIComponent(e.id),"data-row":!0,"data-testid":"server-open","data-id":e.id,children:e.name||e.id}),e.description&&r("div",{class:"clamp",children:r(F,{text:e.description})})]}),a("td",{children:[r(b,{state:y(e)}),e.status.error&&e.status.state!=="AWAITING_AUTHORIZATION"&&r("div",{class:"err clamp",children:q(e.status.error)})]}),a("td",{"data-label":"Transport",children:[B(e.status.endpoint.kind)," ",r("code",{class:"wrap",children:r(F,{text:e.status.endpoint.address})})]}),r("td",{"data-label":"Offers",class:"num",children:!e.status.lastSyncedAt&&e.status.toolCount+e.status.resourceCount+e.status.promptCount===0?"not known yet":a(H,{children:[m(e.status.toolCount,"tool"),e.status.toolsLeftOut?" ("+e.status.toolsLeftOut+" left out)":"",","," ",m(e.status.resourceCount,"resource"),","," ",m(e.status.promptCount,"prompt")]})}),a("td",{"data-label":"Since",children:[r(mt,{at:e.status.since}),e.status.connectMs?a("span",{class:"since small num muted",children:["took ",gt(e.status.connectMs)]}):""]}),r("td",{children:a("span",{class:"row",children:[e.status.state==="CONNECTED"?r(L,{tid:"server-stop",small:!0,dataId:e.id,onClick:()=>{I(e.id,"stop")},children:"Disconnect"}):e.status.state==="AWAITING_AUTHORIZATION"?r("a",{class:"btn small",href:"/servers/"+encodeURIComponent(e.id),"data-testid":"server-signin",children:"Sign in"}):r(R,{server:e,connect:()=>{I(e.id,"connect")}}),r("a",{class:"btn small",href:"/servers/"+encodeURIComponent(e.id)+"/inspect/tools","data-testid":"server-inspect",children:"Inspect"})]})})]}))})]})]})]})]})})}export{Kt as ServerList};

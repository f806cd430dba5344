import{useState as T}from"./core.js";import{all as O,get as Z,post as Q,query as A}from"./core.js";import{go as V,place as J,setQuery as X}from"./core.js";import{useData as M,useLater as Y}from"./core.js";import{Foreign as E}from"./core.js";import{Icon as $}from"./core.js";import{Ago as j,Button as b,counted as o,Empty as R,Loading as tt,ms as et,ProblemView as B}from"./core.js";import{Page as rt}from"./core.js";import{adopt as at}from"./core.js";var q=`.split.form {
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
`;import{jsx as F,jsxs as G}from"./core.js";var w={idle:["idle","off"],connecting:["connecting","mid"],connected:["connected","good"],error:["error","bad"],"circuit-open":["keeps failing","bad"],"missing-config":["needs settings","mid"],"awaiting-authorization":["needs sign-in","mid"],disabled:["disabled","off"],stopped:["stopped","off"],closing:["closing","off"]},W={"circuit-open":"It failed several times in a row, so it is left alone for a while. Connect tries again at once.","missing-config":"A variable that its connection names has no value. Set it under Settings, Secrets.",idle:"Nothing has asked it yet. Connect asks it now."},c=e=>e.toLowerCase().replaceAll("_","-"),_=e=>W[c(e)]??"";function x({state:e,tid:n}){let[l,p]=w[c(e)]??[e,"off"];return G("span",{class:"state "+p,"data-testid":n??"server-state","data-state":c(e),title:_(e)||void 0,children:[F("span",{class:"dot"+(p==="good"?" on":""),"aria-hidden":"true"}),l]})}var H=[[/connection refused/i,"Nothing answers at this address. Start the server, or correct the address."],[/no such host|lookup .* server misbehaving/i,"There is no server of this name. Correct the address."],[/x509|certificate|tls:/i,"Its certificate cannot be trusted."],[/\b(401|403)\b|unauthorized|forbidden/i,"It refuses the key or sign-in of this connection. Edit the connection."],[/\b404\b/,"The address is not that of an MCP server. Correct the address."],[/executable file not found|no such file|permission denied/i,"The program cannot be started. Correct its name or path."],[/exit status|exited|EOF|broken pipe|signal: /i,"The program or server ended the connection. Test it to see where."],[/deadline|timeout|timed out/i,"It did not answer in time."]],N=e=>H.find(([n])=>n.test(e))?.[1]??"It cannot be reached, or does not answer as an MCP server. Edit the connection and test it.";import{Fragment as P,jsx as r,jsxs as a}from"./core.js";at(q);function st(){let e=new URLSearchParams(J.value.query);return{q:e.get("q")??"",state:e.get("state")??"",cat:e.get("cat")??"",tag:e.get("tag")??""}}var y=e=>e.disabled?"disabled":c(e.status.state),S=e=>[...new Set(e.filter(n=>!!n))].sort();function yt(){let[e,n]=T(st),[l,p]=T(null),m=t=>{let i={...e,...t};n(i),X(A({...i}))},g=Y(e.q.trim(),150),{data:s,error:f,reload:C}=M(async t=>{let[i,h]=await Promise.all([O("/api/mcp/servers",t),Z("/api/mcp/builtin",t)]);return{servers:i,builtin:h}},[],["servers","home","tools"]),I=M(async t=>g===""?null:new Set((await O("/api/mcp/servers"+A({q:g}),t)).map(i=>i.id)),[g],["servers"]),U=t=>e.q.trim()===""||(I.data?I.data.has(t.id):t.id.includes(e.q)),d=(s?.servers??[]).filter(t=>U(t)&&(e.state===""||y(t)===e.state)&&(e.cat===""||t.category===e.cat)&&(e.tag===""||(t.tags??[]).includes(e.tag))),v=[e.q.trim(),e.state,e.cat,e.tag].filter(Boolean).length,L=()=>m({q:"",state:"",cat:"",tag:""}),z=[["state","State",S((s?.servers??[]).map(y)).map(t=>[t,w[t]?.[0]??t])],["cat","Category",S((s?.servers??[]).map(t=>t.category)).map(t=>[t,t])],["tag","Tag",S((s?.servers??[]).flatMap(t=>t.tags??[])).map(t=>[t,t])]],k=(t,i)=>Q("/api/mcp/servers/"+encodeURIComponent(t)+"/"+i).then(C,p);return r(rt,{title:"MCP Servers",own:[{id:"new-server",label:"Connect a server",keys:"n",run:()=>V("/servers/new")}],children:a("div",{class:"stack",children:[a("div",{class:"row spread",children:[r("span",{class:"num",role:"status","data-testid":"servers-count",children:s?s.servers.length>0?d.length+" of "+s.servers.length:"":"\u2026"}),a("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-new",children:[r($,{name:"plus"}),"Connect a server"]})]}),a("div",{class:"row choices",children:[r("input",{class:"input grow",type:"search","data-filter":!0,"data-testid":"servers-search","aria-label":"Search servers",placeholder:"Search servers and their tools   /",value:e.q,onInput:t=>m({q:t.currentTarget.value}),onKeyDown:t=>t.key==="Escape"&&m({q:""})}),z.map(([t,i,h])=>(h.length>1||e[t]!=="")&&a("select",{class:"input fit","aria-label":i,"data-testid":"servers-"+t,value:e[t],onChange:u=>m({[t]:u.currentTarget.value}),children:[a("option",{value:"",children:[i,": all"]}),h.map(([u,D])=>r("option",{value:u,selected:u===e[t],children:D}))]}))]}),f!==null&&r(B,{error:f,retry:C}),l!==null&&r(B,{error:l}),!s&&f===null&&r(tt,{what:"servers"}),s&&a(P,{children:[a("section",{"aria-labelledby":"layer-builtin",class:"stack tight",children:[r("h2",{id:"layer-builtin",children:"Built-in"}),a("a",{class:"card flat row spread pickrow",href:"/servers/builtin","data-row":!0,"data-testid":"builtin-row",children:[a("span",{class:"row",children:[r(x,{state:"connected"}),r("strong",{children:s.builtin.title}),r("code",{class:"wrap",children:s.builtin.endpoint})]}),a("span",{class:"num muted",children:[o(s.builtin.tools.filter(t=>t.clients).length,"tool"),","," ",o(s.builtin.clients.length,"client"),", ",o(s.builtin.calls,"call")]})]})]}),a("section",{"aria-labelledby":"layer-active",class:"stack tight",children:[a("h2",{id:"layer-active",children:["Other servers ",r("span",{class:"muted num",children:d.length})]}),s.servers.length===0&&a(R,{title:"No other server is connected",children:[r("p",{children:"Connect one to see what it offers, call its tools and look at every message."}),r("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-empty-new",children:"Connect a server"})]}),s.servers.length>0&&d.length===0&&r(R,{title:e.q.trim()===""?"No server matches the filters":'No server matches "'+e.q+'"'+(v>1?" with "+(v-1)+(v===2?" filter":" filters"):""),children:r(b,{tid:"servers-clear",kind:"primary",onClick:L,children:"Clear the search and filters"})}),d.length>0&&a("table",{class:"cards servers",children:[r("thead",{children:a("tr",{children:[r("th",{scope:"col",children:"Server"}),r("th",{scope:"col",children:"State"}),r("th",{scope:"col",children:"Transport"}),r("th",{scope:"col",children:"Offers"}),r("th",{scope:"col",children:"Since"}),r("th",{scope:"col",children:r("span",{class:"vh",children:"Actions"})})]})}),r("tbody",{children:d.map(t=>a("tr",{"data-testid":"server-row","data-id":t.id,children:[a("td",{children:[r("a",{href:"/servers/"+encodeURIComponent(t.id),"data-row":!0,"data-testid":"server-open","data-id":t.id,children:t.name||t.id}),t.description&&r("div",{class:"clamp",children:r(E,{text:t.description})})]}),a("td",{children:[r(x,{state:y(t)}),t.status.error&&t.status.state!=="AWAITING_AUTHORIZATION"&&r("div",{class:"err clamp",children:N(t.status.error)})]}),a("td",{"data-label":"Over",children:[t.status.endpoint.kind," ",r("code",{class:"wrap",children:r(E,{text:t.status.endpoint.address})})]}),r("td",{"data-label":"Offers",class:"num",children:!t.status.lastSyncedAt&&t.status.toolCount+t.status.resourceCount+t.status.promptCount===0?"not known yet":a(P,{children:[o(t.status.toolCount,"tool"),t.status.toolsLeftOut?" ("+t.status.toolsLeftOut+" left out)":"",","," ",o(t.status.resourceCount,"resource"),","," ",o(t.status.promptCount,"prompt")]})}),a("td",{"data-label":"Since",children:[r(j,{at:t.status.since}),t.status.connectMs?a("span",{class:"since small num muted",children:["took ",et(t.status.connectMs)]}):""]}),r("td",{children:a("span",{class:"row",children:[t.status.state==="CONNECTED"?r(b,{tid:"server-stop",small:!0,dataId:t.id,onClick:()=>{k(t.id,"stop")},children:"Disconnect"}):t.status.state==="AWAITING_AUTHORIZATION"?r("a",{class:"btn small",href:"/servers/"+encodeURIComponent(t.id),"data-testid":"server-signin",children:"Sign in"}):r(b,{tid:"server-connect",small:!0,dataId:t.id,disabled:t.disabled??!1,onClick:()=>{k(t.id,"connect")},children:"Connect"}),r("a",{class:"btn small",href:"/servers/"+encodeURIComponent(t.id)+"/inspect/tools","data-testid":"server-inspect",children:"Inspect"})]})})]}))})]})]})]})]})})}export{yt as ServerList};

import{useState as A}from"./core.js";import{all as O,get as H,post as Z,query as T}from"./core.js";import{go as F,place as Q,setQuery as V}from"./core.js";import{useData as M,useLater as J}from"./core.js";import{Foreign as x}from"./core.js";import{Icon as X}from"./core.js";import{Ago as Y,Button as y,counted as n,Empty as B,Loading as $,ms as j,ProblemView as R}from"./core.js";import{Page as tt}from"./core.js";import{adopt as et}from"./core.js";var N=`.split.form {
  grid-template-rows: auto 1fr;
}
@media (min-width: 900px) {
  .split.form > .reach {
    grid-column: 2;
    grid-row: 1 / span 2;
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
`;import{jsx as z,jsxs as G}from"./core.js";var w={idle:["idle","off"],connecting:["connecting","mid"],connected:["connected","good"],error:["error","bad"],"circuit-open":["circuit open","bad"],"missing-config":["needs settings","mid"],"awaiting-authorization":["needs sign-in","mid"],disabled:["disabled","off"],stopped:["stopped","off"],closing:["closing","off"]},W={"circuit-open":"It failed several times in a row, so it is left alone for a while. Connect tries again at once.","missing-config":"A variable that its connection names has no value. Set it under Settings, Secrets.",idle:"Nothing has asked it yet. Connect asks it now."},c=a=>a.toLowerCase().replaceAll("_","-"),_=a=>W[c(a)]??"";function b({state:a,tid:o}){let[d,p]=w[c(a)]??[a,"off"];return G("span",{class:"state "+p,"data-testid":o??"server-state","data-state":c(a),title:_(a)||void 0,children:[z("span",{class:"dot"+(p==="good"?" on":""),"aria-hidden":"true"}),d]})}import{Fragment as L,jsx as e,jsxs as s}from"./core.js";et(N);function at(){let a=new URLSearchParams(Q.value.query);return{q:a.get("q")??"",state:a.get("state")??"",cat:a.get("cat")??"",tag:a.get("tag")??""}}var S=a=>a.disabled?"disabled":c(a.status.state),C=a=>[...new Set(a.filter(o=>!!o))].sort();function vt(){let[a,o]=A(at),[d,p]=A(null),m=t=>{let i={...a,...t};o(i),V(T({...i}))},g=J(a.q.trim(),150),{data:r,error:f,reload:I}=M(async t=>{let[i,u]=await Promise.all([O("/api/mcp/servers",t),H("/api/mcp/builtin",t)]);return{servers:i,builtin:u}},[],["servers","home","tools"]),k=M(async t=>g===""?null:new Set((await O("/api/mcp/servers"+T({q:g}),t)).map(i=>i.id)),[g],["servers"]),P=t=>a.q.trim()===""||(k.data?k.data.has(t.id):t.id.includes(a.q)),l=(r?.servers??[]).filter(t=>P(t)&&(a.state===""||S(t)===a.state)&&(a.cat===""||t.category===a.cat)&&(a.tag===""||(t.tags??[]).includes(a.tag))),v=[a.q.trim(),a.state,a.cat,a.tag].filter(Boolean).length,U=()=>m({q:"",state:"",cat:"",tag:""}),E=[["state","State",C((r?.servers??[]).map(S)).map(t=>[t,w[t]?.[0]??t])],["cat","Category",C((r?.servers??[]).map(t=>t.category)).map(t=>[t,t])],["tag","Tag",C((r?.servers??[]).flatMap(t=>t.tags??[])).map(t=>[t,t])]],q=(t,i)=>Z("/api/mcp/servers/"+encodeURIComponent(t)+"/"+i).then(I,p);return e(tt,{title:"MCP Servers",own:[{id:"new-server",label:"Connect a server",keys:"n",run:()=>F("/servers/new")}],children:s("div",{class:"stack",children:[s("div",{class:"row spread",children:[e("span",{class:"num",role:"status","data-testid":"servers-count",children:r?r.servers.length>0?l.length+" of "+r.servers.length:"":"\u2026"}),s("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-new",children:[e(X,{name:"plus"}),"Connect a server"]})]}),s("div",{class:"row choices",children:[e("input",{class:"input grow",type:"search","data-filter":!0,"data-testid":"servers-search","aria-label":"Search servers",placeholder:"Search servers and their tools   /",value:a.q,onInput:t=>m({q:t.currentTarget.value}),onKeyDown:t=>t.key==="Escape"&&m({q:""})}),E.map(([t,i,u])=>(u.length>1||a[t]!=="")&&s("select",{class:"input fit","aria-label":i,"data-testid":"servers-"+t,value:a[t],onChange:h=>m({[t]:h.currentTarget.value}),children:[s("option",{value:"",children:[i,": all"]}),u.map(([h,D])=>e("option",{value:h,selected:h===a[t],children:D}))]}))]}),f!==null&&e(R,{error:f,retry:I}),d!==null&&e(R,{error:d}),!r&&f===null&&e($,{what:"servers"}),r&&s(L,{children:[s("section",{"aria-labelledby":"layer-builtin",class:"stack tight",children:[e("h2",{id:"layer-builtin",children:"Built-in"}),s("a",{class:"card flat row spread pickrow",href:"/servers/builtin","data-row":!0,"data-testid":"builtin-row",children:[s("span",{class:"row",children:[e(b,{state:"connected"}),e("strong",{children:r.builtin.title}),e("code",{class:"wrap",children:r.builtin.endpoint})]}),s("span",{class:"num muted",children:[n(r.builtin.tools.filter(t=>t.clients).length,"tool"),","," ",n(r.builtin.clients.length,"client"),", ",n(r.builtin.calls,"call")]})]})]}),s("section",{"aria-labelledby":"layer-active",class:"stack tight",children:[s("h2",{id:"layer-active",children:["Other servers ",e("span",{class:"muted num",children:l.length})]}),r.servers.length===0&&s(B,{title:"No other server is connected",children:[e("p",{children:"Connect one to see what it offers, call its tools and look at every message."}),e("a",{class:"btn primary",href:"/servers/new","data-testid":"servers-empty-new",children:"Connect a server"})]}),r.servers.length>0&&l.length===0&&e(B,{title:a.q.trim()===""?"No server matches the filters":'No server matches "'+a.q+'"'+(v>1?" with "+(v-1)+(v===2?" filter":" filters"):""),children:e(y,{tid:"servers-clear",kind:"primary",onClick:U,children:"Clear the search and filters"})}),l.length>0&&s("table",{class:"cards servers",children:[e("thead",{children:s("tr",{children:[e("th",{scope:"col",children:"Server"}),e("th",{scope:"col",children:"State"}),e("th",{scope:"col",children:"Transport"}),e("th",{scope:"col",children:"Offers"}),e("th",{scope:"col",children:"Since"}),e("th",{scope:"col",children:e("span",{class:"vh",children:"Actions"})})]})}),e("tbody",{children:l.map(t=>s("tr",{"data-testid":"server-row","data-id":t.id,children:[s("td",{children:[e("a",{href:"/servers/"+encodeURIComponent(t.id),"data-row":!0,"data-testid":"server-open","data-id":t.id,children:t.name||t.id}),t.description&&e("div",{class:"clamp",children:e(x,{text:t.description})})]}),s("td",{children:[e(b,{state:S(t)}),t.status.error&&t.status.state!=="AWAITING_AUTHORIZATION"&&e("div",{class:"err clamp",children:e(x,{text:t.status.error})})]}),s("td",{"data-label":"Over",children:[t.status.endpoint.kind," ",e("code",{class:"wrap",children:e(x,{text:t.status.endpoint.address})})]}),e("td",{"data-label":"Offers",class:"num",children:!t.status.lastSyncedAt&&t.status.toolCount+t.status.resourceCount+t.status.promptCount===0?"not known yet":s(L,{children:[n(t.status.toolCount,"tool"),t.status.toolsLeftOut?" ("+t.status.toolsLeftOut+" left out)":"",","," ",n(t.status.resourceCount,"resource"),","," ",n(t.status.promptCount,"prompt")]})}),s("td",{"data-label":"Since",children:[e(Y,{at:t.status.since}),t.status.connectMs?s("span",{class:"since small num muted",children:["took ",j(t.status.connectMs)]}):""]}),e("td",{children:s("span",{class:"row",children:[t.status.state==="CONNECTED"?e(y,{tid:"server-stop",small:!0,dataId:t.id,onClick:()=>{q(t.id,"stop")},children:"Disconnect"}):t.status.state==="AWAITING_AUTHORIZATION"?e("a",{class:"btn small",href:"/servers/"+encodeURIComponent(t.id),"data-testid":"server-signin",children:"Sign in"}):e(y,{tid:"server-connect",small:!0,dataId:t.id,disabled:t.disabled??!1,onClick:()=>{q(t.id,"connect")},children:"Connect"}),e("a",{class:"btn small",href:"/servers/"+encodeURIComponent(t.id)+"/inspect/tools","data-testid":"server-inspect",children:"Inspect"})]})})]}))})]})]})]})]})})}export{vt as ServerList};

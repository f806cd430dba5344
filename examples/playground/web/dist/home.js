import{useEffect as w,useState as x}from"./core.js";import{post as A}from"./core.js";import{go as S}from"./core.js";import{Foreign as c}from"./core.js";import{Icon as f}from"./core.js";import{Ago as p,bytes as C,Button as m,Copy as I,Loading as u,ms as T,ProblemView as H}from"./core.js";import{DemoStrip as R}from"./core.js";import{Level as L,levelWords as M}from"./core.js";import{home as O}from"./core.js";import{Page as D}from"./core.js";import{later as g}from"./core.js";import{adopt as P}from"./core.js";var h=`.home {
  display: grid;
  grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
  gap: 24px;
  align-items: start;
}
.hero h2 {
  font-size: var(--t5);
  line-height: 2rem;
}
.kpis {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(112px, 1fr));
  gap: 12px;
}
.kpi {
  border-radius: var(--r-card);
  padding: 10px 12px;
  text-decoration: none;
  color: var(--muted);
  background: var(--sunken);
}
.kpi:hover {
  background: var(--hover);
}
.kpi b {
  display: block;
  color: var(--text);
  font-size: var(--t5);
  line-height: 2rem;
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}
.home.stale {
  opacity: 0.6;
}
.activity,
.attention {
  display: grid;
  gap: 0;
}
.activity li,
.attention li {
  display: flex;
  align-items: baseline;
  gap: 12px;
  padding: 8px 0;
  border-top: 1px solid var(--line);
  min-width: 0;
}
.activity li:first-child,
.attention li:first-child {
  border-top: 0;
}
.activity .kind {
  flex: none;
  width: 84px;
  color: var(--muted);
  font-size: var(--t2);
}
.activity .what {
  flex: 1 1 auto;
  min-width: 0;
}
.activity .when {
  flex: none;
  font-size: var(--t2);
}
.attention li {
  align-items: center;
}
.offers {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(200px, 1fr));
  gap: 16px;
}
.offer {
  display: grid;
  gap: 4px;
  color: inherit;
  text-decoration: none;
  align-content: start;
}
.offer:hover {
  border-color: var(--control);
}
button.offer {
  font: inherit;
  text-align: start;
  cursor: pointer;
}
.offer .ok .ico {
  width: 16px;
  height: 16px;
  vertical-align: -3px;
}
.home .kpis {
  grid-template-columns: repeat(2, minmax(0, 1fr));
}
@media (min-width: 1700px) {
  .home {
    grid-template-columns: minmax(0, 5fr) minmax(0, 3fr);
  }
  .home .kpis {
    grid-template-columns: repeat(4, minmax(0, 1fr));
  }
}
@media (max-width: 899px) {
  .home {
    grid-template-columns: minmax(0, 1fr);
  }
}
@media (max-width: 719px) {
  .activity li {
    flex-wrap: wrap;
    gap: 4px 8px;
  }
  .activity .what {
    flex-basis: 100%;
    order: 3;
  }
}
`;import{Fragment as b,jsx as t,jsxs as i}from"./core.js";P(h);var B=g(async()=>(await import("./dashboard.js")).Dashboard,"the last hour"),z=g(async()=>(await import("./risky.js")).Risky),W={make:["Make a tool","Begin with a sample of six lines, and save it.","Open the editor"],test:["Test it","Its own test values run in the sandbox. A success is its Local Pass.","Run the test"],publish:["Publish it","Look at what it may do, then put it on the endpoint.","Review"],call:["Call it from chat","The question is written for you; the model calls your tool to answer it.","Open the chat"],break:["Break it on purpose","Change one line and save: the chat's next call says that it is not there. No pass, no run.","Edit one line"]};function N(e){let a=e.toolId?"/tools/"+encodeURIComponent(e.toolId):"/tools/new?from=sample";switch(e.id){case"make":return e.toolId?a:"/tools/new?from=sample";case"publish":return e.toolId?a+"/review":a;case"call":return"/chat?ask="+encodeURIComponent("What is a 15% tip on 80?");default:return a}}function U({home:e,reload:a}){let n=e.tour;if(n.skipped)return null;let o=n.steps.filter(s=>s.doneAt).length;return i("section",{class:"card stack","aria-labelledby":"tour-title","data-testid":"home-tour",children:[i("div",{class:"row spread",children:[t("h2",{id:"tour-title",children:o===n.steps.length?"You did all five steps":"Try it in five steps"}),t(m,{tid:"tour-skip",small:!0,kind:"quiet",onClick:async()=>(await A("/api/tour",{skipped:!0}),a()),children:o===n.steps.length?"Hide":"Skip the tour"})]}),t("ol",{class:"steps",children:n.steps.map((s,r)=>{let[l,d,k]=W[s.id]??[s.id,"","Open"];return i("li",{class:s.doneAt?"done":"","data-testid":"tour-step","data-id":s.id,"data-done":s.doneAt?"yes":"no",children:[t("span",{class:"mark","aria-label":s.doneAt?"Done":"Step "+(r+1),role:"img",children:s.doneAt?t(f,{name:"check"}):r+1}),i("span",{children:[t("strong",{children:l}),t("br",{}),t("span",{class:"muted",children:d})]}),t(m,{tid:"tour-go",dataId:s.id,small:!0,kind:!s.doneAt&&r===o?"primary":void 0,onClick:()=>S(N(s)),children:k})]})})})]})}function _({at:e}){let[a,n]=x(!1);return i(b,{children:[i("button",{type:"button",class:"card offer","data-testid":"home-offer","data-id":"risky","data-done":e?"yes":"no",onClick:()=>n(!0),children:[t("strong",{children:"Approve a risky call"}),t("span",{class:"muted",children:"A tool of L4 that writes one file: it asks, you read, you decide."}),e&&i("span",{class:"ok",children:[t(f,{name:"check"})," You approved one ",t(p,{at:e})]})]}),a&&t(z,{onClose:()=>n(!1)})]})}var j=[["model","Connect a real model","Ollama on this machine, OpenAI, or any server that speaks as it does.","/settings/models"],["editor","Add to your editor","The lines for each MCP client, to copy.","/servers/builtin?connect=1"]],q={call:"Call",approval:"Approval",published:"Published",withdrawn:"Withdrawn",test:"Test",server:"Server"};function E({list:e}){return i("section",{class:"card stack tight","aria-labelledby":"recent-title","data-testid":"home-recent",children:[t("h2",{id:"recent-title",children:"Recent activity"}),e.length===0?t("p",{class:"muted",children:"Nothing has happened since this program started. Calls, answers, tests and publications show here."}):t("ul",{class:"activity",children:e.map(a=>i("li",{"data-testid":"recent-item","data-id":a.kind,children:[t("span",{class:"kind",children:q[a.kind]??a.kind}),i("span",{class:"what wrap",children:[a.where?t("a",{href:a.where,"data-testid":"recent-open",children:t(c,{text:a.title})}):t(c,{text:a.title})," ",t("span",{class:a.ok?"muted":"err",children:t(c,{text:a.detail})}),a.by&&i("span",{class:"muted",children:[", by ",t(c,{text:a.by})]}),a.durationMs?i("span",{class:"muted num",children:[", ",T(a.durationMs)]}):null,a.traceId&&i(b,{children:[" ","\xB7"," ",t("a",{href:"/observe/traces?trace="+encodeURIComponent(a.traceId),"data-testid":"recent-trace","aria-label":"Trace of "+a.title,children:"Trace"})]})]}),t("span",{class:"muted when",children:t(p,{at:a.at})})]}))})]})}var V=[["connected","connected","ok"],["connecting","connecting","muted"],["idle","not connected","muted"],["awaiting_authorization","await authorization","warn"],["missing_config","lack a value","warn"],["error","cannot be reached","err"],["circuit_open","circuit open: left alone for now","err"]],v=e=>e.toLowerCase().replaceAll("-","_");function Y({home:e}){let a=Object.entries(e.servers),n=a.reduce((o,[,s])=>o+s,0);return i("section",{class:"card stack","aria-labelledby":"live-title","data-testid":"home-live",children:[t("h2",{id:"live-title",children:"What is live now"}),i("div",{class:"endpoint",children:[t("code",{title:e.endpoint,children:e.endpoint}),t(I,{tid:"endpoint-copy",text:e.endpoint})]}),!e.ready&&t("p",{class:"warn",children:"Tools of this home still earn their pass\u2026"}),e.failed?.tools&&i("p",{class:"note bad",children:["The tools: ",e.failed.tools,"."]}),i("div",{class:"kpis",children:[i("a",{class:"kpi",href:"/servers/builtin","data-testid":"kpi-live",children:[t("b",{children:e.live})," ",e.live===1?"tool":"tools"," published"]}),i("a",{class:"kpi",href:"/servers","data-testid":"kpi-servers",children:[t("b",{children:n})," ",n===1?"server":"servers"]}),i("a",{class:"kpi",href:"/approvals","data-testid":"kpi-pending",children:[t("b",{children:e.failed?.approvals?"?":e.pending})," ",e.pending===1?"approval waits":"approvals wait"]}),i("a",{class:"kpi",href:"/chat","data-testid":"kpi-chats",children:[t("b",{children:e.conversations})," ",e.conversations===1?"conversation":"conversations"]})]}),t("ul",{class:"stack tight","aria-label":"Published tools by risk",children:Object.keys(M).filter(o=>e.levels[o]).map(o=>i("li",{class:"row spread",children:[t(L,{level:o,full:!0}),i("a",{href:"/tools?level="+o+"&state=live","data-testid":"home-level","data-id":o,class:"num",children:[e.levels[o]," ",e.levels[o]===1?"tool":"tools"]})]}))}),a.length>0&&t("ul",{class:"stack tight","aria-label":"Servers by how they are",children:a.map(([o,s])=>{let[,r,l]=V.find(([d])=>d===v(o))??[o,o,"muted"];return i("li",{class:"row spread",children:[t("span",{class:"small "+l,children:r}),i("a",{href:"/servers","data-testid":"home-server-state","data-id":v(o),class:"num",children:[s," ",s===1?"server":"servers"]})]})})}),i("div",{class:"row",children:[t("a",{class:"btn",href:"/servers/builtin?connect=1","data-testid":"home-connect",children:"Add to your editor"}),t("a",{class:"btn",href:"/tools","data-testid":"home-tools",children:"All tools"})]})]})}function F(e){let a=Math.max(0,Math.round((Date.now()-Date.parse(e))/1e3));return[[Math.floor(a/86400),"d"],[Math.floor(a/3600)%24,"h"],[Math.floor(a/60)%60,"min"]].filter(([o])=>o>0).slice(0,2).map(([o,s])=>o+" "+s).join(" ")||"less than a minute"}function G({home:e}){let a=e.health;return i("section",{class:"card stack tight","aria-labelledby":"health-title","data-testid":"home-health",children:[t("h2",{id:"health-title",children:"Health"}),i("dl",{class:"kv",children:[t("dt",{children:"Version"}),i("dd",{children:[a.version,", ",a.go,", ",a.system]}),t("dt",{children:"Up for"}),i("dd",{title:new Date(a.startedAt).toLocaleString(),children:[F(a.startedAt),", ",e.calls," ",e.calls===1?"call":"calls"]}),t("dt",{children:"State"}),i("dd",{children:[t("code",{children:a.home}),a.stateBytes>0&&", "+C(a.stateBytes)," ",t("a",{href:"/settings/storage","data-testid":"home-storage",children:"Storage"})]}),t("dt",{children:"Last save"}),t("dd",{children:a.savedAt?t(p,{at:a.savedAt}):"not counted yet"})]})]})}var J=({tour:e})=>e.steps.length>0&&(e.skipped||e.steps.every(a=>a.doneAt));function ct(){let{data:e,error:a,loading:n,reload:o}=O.value;return w(()=>{e&&o()},[]),i(D,{title:"Home",own:[{id:"home-copy",label:"Copy the endpoint",run:()=>{navigator.clipboard.writeText(e?.endpoint??"").catch(()=>{})}}],children:[a!==null&&t(H,{error:a,retry:o}),!e&&a===null&&t(K,{}),e&&i("div",{class:"home"+(a!==null&&!n?" stale":""),children:[i("div",{class:"stack",children:[J(e)?t(B,{}):i("div",{class:"hero stack tight",children:[t("h2",{children:"No pass, no run."}),t("p",{class:"muted",children:"A tool says what it touches, proves itself in the sandbox, and only then do models get to call it."})]}),e.model.state==="demo"&&t(R,{}),t(U,{home:e,reload:o}),!e.tour.skipped&&i("div",{class:"offers",children:[t(_,{at:e.tour.daredAt}),j.filter(([s])=>s!=="model"||e.model.state==="demo").map(([s,r,l,d])=>i("a",{class:"card offer",href:d,"data-testid":"home-offer","data-id":s,children:[t("strong",{children:r}),t("span",{class:"muted",children:l})]}))]}),e.attention.length>0&&i("section",{class:"card stack tight","aria-labelledby":"attention-title","data-testid":"home-attention",children:[t("h2",{id:"attention-title",children:"Needs attention"}),t("ul",{class:"attention",children:e.attention.map(s=>i("li",{"data-testid":"attention-row","data-id":s.kind,children:[t("span",{class:"wrap grow",children:t(c,{text:s.text})}),t("a",{class:"btn small",href:s.where,"data-testid":"attention-open","aria-label":"Open: "+s.text,children:"Open"})]}))})]}),t(E,{list:e.recent})]}),i("div",{class:"stack",children:[t(Y,{home:e}),t(G,{home:e})]})]})]})}function K(){return i("div",{class:"home","data-testid":"home-loading",children:[t(u,{what:"the overview",lines:9}),t(u,{what:"what is live",lines:6})]})}export{ct as Home};

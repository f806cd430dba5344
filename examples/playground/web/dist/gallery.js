import{useState as F}from"./core.js";var h={views:"Tools by collection",mine:"Mine",published:"Published",gallery:"Gallery",all:"All",browse:"Browse the gallery","mine.none":"You have no tools yet","mine.how":"A tool is a few lines of JavaScript and a list of what the code may reach. Write one, or start from a bundled tool.","mine.new":"Write a tool","published.none":"No tool is published","published.how":"Chats and MCP clients are offered published tools only. Test a tool of yours, then publish it.","published.open":"Show my tools",about:"Bundled tools are read-only. Open one to read, test or publish it, or use it as a template for your own.",search:"Search the gallery","search.hint":"Search name, description, tag   /",categories:"Category",every:"All categories",template:"Use as a template","template.of":"Use as a template: {name}",live:"Published",asks:"Asks a person",none:"No bundled tool matches",clear:"Clear filters"};import{Foreign as k}from"./core.js";import{Icon as P}from"./core.js";import{Button as T,Empty as O,Loading as q}from"./core.js";import{Level as D}from"./core.js";import{adopt as L}from"./core.js";import{texts as A}from"./core.js";import{post as Q,send as E}from"./core.js";import{go as I}from"./core.js";import{Button as ee,Dialog as te,toast as oe}from"./core.js";import{query as W,send as Y}from"./core.js";var m=[["TEXT","Text & strings"],["DATA","Data formats"],["DATETIME","Date & time"],["MATH","Math & compute"],["ENCODING","Encoding"],["CRYPTO","Crypto & random"],["SECURITY","Security"],["FILE","Files"],["WEB","Web"],["PRODUCTIVITY","Productivity"],["MESSAGING","Messaging"],["AI","AI APIs"],["CUSTOM","Custom"]],d=e=>m.find(([a])=>a===e)?.[1]??(e||"Other"),p=e=>{let a=m.findIndex(([i])=>i===e);return a<0?m.length:a};import{jsx as ie,jsxs as re}from"./core.js";async function v(e){let{data:a}=await E("POST","/api/tools/"+encodeURIComponent(e.id)+"/fork");I("/tools/"+encodeURIComponent(a.id))}import{useEffect as de,useRef as pe}from"./core.js";import{Button as me,Check as ge}from"./core.js";import{stateWord as he}from"./core.js";import{jsx as we,jsxs as be}from"./core.js";var B=["cat","tag","level","state","source"];var f=e=>e.q!==""||B.some(a=>e[a].length>0),w=e=>({...e,q:"",cat:[],tag:[],level:[],state:[],source:[]});var b=`.gallery .body {
  display: grid;
  grid-template-columns: 200px minmax(0, 1fr);
  gap: 24px;
  align-items: start;
}
.gallery .search {
  flex: 1 1 240px;
  max-width: 520px;
}
.gallery .cats {
  position: sticky;
  top: 12px;
  display: grid;
  gap: 2px;
}
.gallery .cat {
  display: flex;
  justify-content: space-between;
  gap: 8px;
  padding: 7px 10px;
  border: 0;
  border-radius: var(--r);
  background: none;
  color: inherit;
  font: inherit;
  text-align: start;
  white-space: nowrap;
  cursor: pointer;
}
.gallery .cat:hover,
.gallery .cat[aria-pressed="true"] {
  background: var(--hover);
}
.gallery .cat[aria-pressed="true"] {
  font-weight: 600;
}
.gallery h3 {
  margin: 0;
  min-width: 0;
  overflow-wrap: anywhere;
}
.gallery .tiles {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 260px), 1fr));
  gap: 12px;
  margin: 0;
  padding: 0;
  list-style: none;
}
.gallery .tile {
  display: grid;
  grid-template-rows: auto 1fr auto;
  gap: 8px;
  padding: 14px;
}
.gallery .about {
  display: -webkit-box;
  margin: 0;
  overflow: hidden;
  font-size: var(--t2);
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 3;
}
@media (max-width: 899px) {
  .gallery .body {
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
  }
  .gallery .cats {
    position: static;
    display: flex;
    overflow-x: auto;
    padding-bottom: 4px;
  }
}
`;import{jsx as o,jsxs as n}from"./core.js";L(b);var s=A("gallery",h);function De({listed:e,filter:a,onChange:i,act:C}){let[S,g]=F(""),R=async t=>{g(t.id),await C(()=>v(t)),g("")},u=e?.first.facets.categories??{},y=(t,r)=>p(t)-p(r),l=new Map;for(let t of e?.items??[])l.set(t.category,[...l.get(t.category)??[],t]);return n("div",{class:"gallery stack",children:[o("p",{class:"muted",children:s("about")}),o("div",{class:"filters",role:"search",children:o("input",{class:"input search",type:"search","data-filter":!0,"data-testid":"tools-search","aria-label":s("search"),placeholder:s("search.hint"),value:a.q,onInput:t=>i({...a,q:t.currentTarget.value}),onKeyDown:t=>t.key==="Escape"&&i({...a,q:""})})}),n("div",{class:"body",children:[n("div",{class:"cats",role:"group","aria-label":s("categories"),children:[o(x,{on:a.cat.length===0,id:"",name:s("every"),n:Object.values(u).reduce((t,r)=>t+r,0),onPick:()=>i({...a,cat:[]})}),[...new Set([...Object.keys(u),...a.cat])].sort(y).map(t=>o(x,{on:a.cat.includes(t),id:t,name:d(t),n:u[t]??0,onPick:()=>i({...a,cat:[t]})},t))]}),n("div",{class:"stack",children:[!e&&o(q,{what:"bundled tools",lines:8}),e&&l.size===0&&o(O,{title:s("none"),children:f(a)&&o(T,{tid:"gallery-clear",kind:"primary",onClick:()=>i(w(a)),children:s("clear")})}),[...l].sort(([t],[r])=>y(t,r)).map(([t,r])=>n("section",{class:"stack tight","data-testid":"gallery-group","data-id":t,children:[n("h2",{children:[d(t)," ",o("span",{class:"num muted",children:r.length})]}),o("ul",{class:"tiles",children:r.map(c=>o(M,{t:c,busy:S===c.id,onUse:()=>{R(c)}},c.id))})]},t))]})]})]})}function x(e){return n("button",{type:"button",class:"cat","aria-pressed":e.on,"data-testid":"gallery-category","data-id":e.id,onClick:e.onPick,children:[e.name," ",o("span",{class:"num muted",children:e.n})]})}function M({t:e,busy:a,onUse:i}){return n("li",{class:"card tile","data-testid":"gallery-tool","data-id":e.name,children:[n("div",{class:"row spread",children:[o("h3",{children:o("a",{href:"/tools/"+encodeURIComponent(e.id),"data-row":!0,"data-testid":"gallery-open",children:o(k,{text:e.name})})}),o(D,{level:e.level,draft:e.serving==="no_pass"})]}),o("p",{class:"about",children:o(k,{text:e.description})}),n("div",{class:"row spread",children:[n("span",{class:"row hint",children:[e.live&&o("span",{class:"chip good",children:s("live")}),e.approval&&o("span",{role:"img",title:s("asks"),"aria-label":s("asks"),children:o(P,{name:"hand"})})]}),o(T,{tid:"gallery-use",small:!0,busy:a,label:s("template.of",{name:e.name}),onClick:i,children:s("template")})]})]})}export{De as Gallery};

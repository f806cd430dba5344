import{get as w,query as S}from"./core.js";import{useData as x}from"./core.js";import{Loading as M,ms as L,ProblemView as N}from"./core.js";import{adopt as R}from"./core.js";var p=e=>{let t=[...e].sort((a,r)=>a-r);return t[Math.floor(t.length/2)]??0},m=e=>e.reduce((t,a)=>t+a,0),d=e=>Math.max(e.toolErrors,e.status==="ERROR"?1:0),h=e=>e.tokens?e.tokens.input+e.tokens.output:0;function b(e,t,a,r){let s=Array.from({length:r},()=>[]);for(let o of e){let l=Math.floor((Date.parse(o.startAt)-t)/(a-t)*r);s[Math.max(0,Math.min(r-1,l))].push(o)}let i=o=>o.filter(l=>l.status!=="RUNNING").map(l=>l.durationMs);return{calls:s.map(o=>m(o.map(l=>l.toolCalls))),failures:s.map(o=>m(o.map(d))),latency:s.map(o=>p(i(o))),tokens:s.map(o=>m(o.map(h)))}}var f=e=>({calls:m(e.map(t=>t.toolCalls)),failures:m(e.map(d)),latency:p(e.filter(t=>t.status!=="RUNNING").map(t=>t.durationMs)),tokens:e.some(t=>t.tokens)?m(e.map(h)):null});function y(e,t,a){let r=Math.max(...e,1e-9),s=e.length>1?t/(e.length-1):0;return e.map((i,o)=>(o*s).toFixed(1)+","+(a-i/r*a).toFixed(1)).join(" ")}var v=`.tile {
  display: block;
  min-width: 0;
}
.spark {
  display: block;
  width: 100%;
  height: 40px;
  margin-top: 8px;
}
.spark polyline {
  fill: none;
  stroke: var(--muted);
  stroke-width: 1.5;
  stroke-linejoin: round;
  vector-effect: non-scaling-stroke;
}
.spark.bad polyline {
  stroke: var(--danger);
}
@media (min-width: 900px) {
  .home [data-testid="home-dashboard"] .kpis {
    grid-template-columns: repeat(4, minmax(0, 1fr));
  }
}
`;import{Fragment as q,jsx as n,jsxs as u}from"./core.js";R(v);var D=36e5,A=30,C=1e3;async function H(e){let t=[],a="",r=Date.now();do{let s=await w("/api/observe/traces"+S({win:"1h",limit:200,cursor:a}),e);t.push(...s.items),a===""&&(r=Date.parse(s.to)),a=s.nextCursor??""}while(a!==""&&t.length<C);return{list:t,to:r,more:a!==""}}var k=160,g=36;function P({list:e,bad:t}){return n("svg",{class:"spark"+(t?" bad":""),viewBox:"0 -2 "+k+" "+(g+4),preserveAspectRatio:"none","aria-hidden":"true",children:n("polyline",{points:y(e,k,g)})})}function c({id:e,name:t,value:a,list:r,href:s,bad:i=!1}){return u("a",{class:"kpi tile",href:s,"data-testid":"dash-tile","data-id":e,children:[n("b",{class:i?"err":"",children:a})," ",t,n(P,{list:r,bad:i})]})}function V(){let{data:e,error:t,reload:a}=x(H,[],["observe"]);return u("section",{class:"card stack","aria-labelledby":"dash-title","data-testid":"home-dashboard",children:[n("h2",{id:"dash-title",children:"The last hour"}),t!==null&&n(N,{error:t,retry:a}),!e&&t===null&&n(M,{what:"the last hour",lines:3}),e&&n(T,{...e})]})}function T({list:e,to:t,more:a}){let r=f(e),s=b(e,t-D,t,A),i=a?"+":"",o=l=>l.toLocaleString("en")+i;return u(q,{children:[u("div",{class:"kpis",children:[n(c,{id:"calls",name:r.calls===1?"tool call":"tool calls",value:o(r.calls),list:s.calls,href:"/observe/traces?win=1h"}),n(c,{id:"failures",name:r.failures===1?"failure":"failures",value:o(r.failures),list:s.failures,href:"/observe/traces?win=1h&status=error",bad:r.failures>0}),n(c,{id:"latency",name:"median duration",value:r.latency>0?L(r.latency):"\u2013",list:s.latency,href:"/observe/traces?win=1h"}),n(c,{id:"tokens",name:"tokens",value:r.tokens===null?"\u2013":o(r.tokens),list:s.tokens,href:"/observe/traces?win=1h"})]}),e.length===0&&n("p",{class:"muted",children:"No tool was called and no question was asked in this hour."}),a&&u("p",{class:"hint",children:["Counted are the latest ",e.length.toLocaleString("en")," traces."]})]})}export{V as Dashboard};

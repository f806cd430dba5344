import{useEffect as it,useRef as Ut,useState as tt}from"./core.js";import{get as ke,query as U}from"./core.js";import{go as ye,place as ht,setQuery as ut}from"./core.js";import{Page as Kt}from"./core.js";import{useData as Se,useLater as Bt}from"./core.js";import{Foreign as Y}from"./core.js";import{Ago as Me,Button as q,Empty as gt,Loading as Ie,ProblemView as Ce,Segments as Te,Select as rt,Text as Oe,toast as zt}from"./core.js";import{useEffect as At,useMemo as nt,useState as $}from"./core.js";import{ApiError as ie,get as le}from"./core.js";import{on as de}from"./core.js";import{go as ce,place as Pt,setQuery as pe}from"./core.js";import{Page as me}from"./core.js";import{kept as Vt,useData as ue}from"./core.js";import{Foreign as mt}from"./core.js";import{Ago as fe,Button as H,Copy as _t,Empty as he,Loading as ge,ProblemView as be}from"./core.js";import{Because as Jt}from"./core.js";import{Foreign as K}from"./core.js";import{Button as It,Copy as $t}from"./core.js";import{jsx as Gt,jsxs as Xt}from"./core.js";var Ht={invoke_agent:"Chat turn","tools/call":"MCP call",local_pass:"Test run",execute_tool:"Tool",chat:"Model call",approval:"Approval",sandbox:"Sandbox",advisor:"Advisor",retrieval:"Retrieval"},F=(t,e)=>(t==="tools/call"&&e?"Hub":Ht[t])??(t.includes("/")?"MCP "+t:t||"Operation"),z=t=>t.name.startsWith(t.operation+" ")?t.name.slice(t.operation.length+1):t.name===t.operation?"":t.name,jt={RUNNING:["running","mid","\u2026"],ok:["ok","good","\u2713"],OK:["ok","good","\u2713"],error:["error","bad","\u2715"],ERROR:["error","bad","\u2715"],cancelled:["cancelled","off","\u2013"],CANCELLED:["cancelled","off","\u2013"],blocked:["blocked","mid","!"],paused:["paused","mid","\u2016"],incomplete:["incomplete","mid","?"],INCOMPLETE:["incomplete","mid","?"]};function G({of:t,tid:e}){let[a,n,s]=jt[t]??[t,"off","?"];return Xt("span",{class:"state "+n,"data-testid":e,"data-status":t,children:[Gt("span",{class:"sign","aria-hidden":"true",children:s}),a]})}function et(t){return t.cost?t.cost==="unpriced"?"unpriced":t.models?.every(e=>e.provider==="demo")?"no cost":"local, free":"\u2014"}var Q=t=>t?t.input.toLocaleString("en")+" in, "+t.output.toLocaleString("en")+" out"+(t.estimated?" (estimated)":""):"\u2014";var V=t=>t.startMs+t.durationMs;function bt(t){let e=new Map;for(let r of t)e.set(r.spanId,{span:r,depth:0,children:[],parent:null,critical:!1,selfMs:r.durationMs});let a=[];for(let r of e.values()){let i=r.span.parentId?e.get(r.span.parentId):void 0,c=!1;for(let g=i;g;g=g.parent)c||=g===r;!i||c?a.push(r):(r.parent=i,i.children.push(r))}let n=(r,i)=>r.span.startMs-i.span.startMs||V(i.span)-V(r.span);a.sort(n);let s=[...a];for(let r=s.pop();r;r=s.pop()){r.children.sort(n),r.selfMs=Zt(r);for(let i of r.children)i.depth=r.depth+1,s.push(i)}return a[0]&&Qt(a[0]),a}function Zt(t){let e=0,a=t.span.startMs;for(let{span:n}of t.children){let s=Math.max(n.startMs,a),r=Math.min(V(n),V(t.span));r>s&&(e+=r-s,a=r)}return Math.max(0,t.span.durationMs-e)}function Qt(t){let e=[t];for(let a=e.pop();a;a=e.pop()){a.critical=!0;let n=V(a.span);for(let s of[...a.children].sort((r,i)=>V(i.span)-V(r.span)))V(s.span)>n||s.span.durationMs<=0||(e.push(s),n=s.span.startMs)}}function vt(t,e,a){let n=[],s=new Set,r=[],i=[...t].reverse();for(let c=i.pop();c;c=i.pop())r.push(c),i.push(...[...c.children].reverse());for(let c of r)if(a(c.span))for(let g=c;g&&!s.has(g);g=g.parent)s.add(g);for(let c of r){let g=!s.has(c);for(let p=c.parent;p&&!g;p=p.parent)g=e.has(p.span.spanId);g||n.push(c)}return n}function wt(t){let e=1/0,a=-1/0;for(let n of t)e=Math.min(e,n.startMs),a=Math.max(a,V(n));return a>e||(a=(Number.isFinite(e)?e:e=0)+1),{from:e,to:a}}var xt=.001;function J(t,e){let a=Math.min(Math.max(t.to-t.from,xt),e.to-e.from),n=Math.min(Math.max(t.from,e.from),e.to-a);return{from:n,to:n+a}}function lt(t,e,a,n){let s=(t.to-t.from)/e,r=(a-t.from)/(t.to-t.from);return J({from:a-s*r,to:a+s*(1-r)},n)}function dt(t,e,a){let n=(t.to-t.from)*e;return J({from:t.from+n,to:t.to+n},a)}function kt(t,e){let a=Math.max(t.durationMs*.1,xt/2);return J({from:t.startMs-a,to:V(t)+a},e)}function yt(t,e){let a=e.to-e.from,n=r=>Math.min(Math.max((r-e.from)/a*100,-5),105),s=n(t.startMs);return{left:s,width:n(V(t))-s}}function St(t,e=6){let a=(t.to-t.from)/e,n=Math.pow(10,Math.floor(Math.log10(a))),r=(a>1e3?[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,18e3,36e3].map(c=>c*1e3):[1,2,5,10].map(c=>c*n)).find(c=>c>=a)??a,i=[];for(let c=Math.ceil(t.from/r);c*r<=t.to&&i.length<20;c++)i.push(c*r);return i}function T(t){let e=Math.abs(t),a=t<0?"\u2212":"";if(e===0)return"0 ms";if(e<1)return a+(e<.001?"<1":Math.round(e*1e3))+" \xB5s";if(e<10)return a+ +e.toFixed(2)+" ms";if(e<1e3)return a+Math.round(e)+" ms";if(e<6e4)return a+ +(e/1e3).toFixed(2)+" s";let n=e<36e5?[Math.round(e/1e3),60,"min","s"]:[Math.round(e/6e4),60,"h","min"],[s,r,i,c]=n;return a+Math.floor(s/r)+" "+i+(s%r?" "+s%r+" "+c:"")}function Mt(t,e){if(e>=1e3)return T(Math.round(t));let a=Math.min(3,Math.max(0,2-Math.floor(Math.log10(e))));return t.toFixed(a)+" ms"}import{Fragment as at,jsx as b,jsxs as M}from"./core.js";var ct=["gen_ai.provider.name","gen_ai.request.model","gen_ai.usage.input_tokens","gen_ai.usage.output_tokens","gen_ai.response.time_to_first_chunk","gen_ai.response.finish_reasons","gen_ai.tool.name","localpass.mcp.server","localpass.sandbox.level","localpass.approval.outcome","localpass.outcome","mcp.method.name","network.transport","error.type"],Yt=["gen_ai.response.time_to_first_chunk"],Ct=t=>ct.includes(t.key)?ct.indexOf(t.key):ct.length,te=/^(data:[^,]{0,80};base64,)?[A-Za-z0-9+/]{200,}={0,2}$/;function ee({of:t}){let e=Array.isArray(t.value)?t.value.map(String).join(", "):String(t.value);return te.test(e)?M("span",{class:"muted",children:[e.length.toLocaleString("en")," characters of encoded data"]}):e.length>400?M("details",{children:[M("summary",{"data-testid":"span-long",children:[e.length.toLocaleString("en")," characters"]}),b("pre",{class:"code",tabIndex:0,children:b(K,{text:e})})]}):b(K,{text:Yt.includes(t.key)&&typeof t.value=="number"?T(t.value*1e3):e})}function pt({list:t,tid:e}){return b("dl",{class:"kv attributes","data-testid":e,children:t.map(a=>M(at,{children:[b("dt",{children:b("code",{class:"wrap",children:a.key.split(/(?<=[._])/).map(n=>M(at,{children:[n,b("wbr",{})]}))})}),b("dd",{children:b(ee,{of:a})})]}))})}function Tt({trace:t,span:e,selfMs:a,critical:n,onFit:s,onClose:r}){let i=e.attributes.find(l=>l.key==="localpass.approval.request"),c=e.attributes.find(l=>l.key==="localpass.approval.because"),g=e.attributes.find(l=>l.key==="gen_ai.tool.name"),p=[...e.attributes].sort((l,O)=>Ct(l)-Ct(O)),R=z(e);return M("section",{class:"spanview","aria-label":"The span","data-testid":"span-view","data-id":e.spanId,children:[M("header",{class:"row spread nowrap",children:[M("h2",{class:"wrap",children:[F(e.operation,e.parentId)," ",R&&b(K,{text:R})]}),b(It,{tid:"span-close",small:!0,kind:"quiet",icon:"close",label:"Close the details",onClick:r})]}),M("div",{class:"stack tight",children:[M("div",{class:"row",children:[b(G,{of:e.status,tid:"span-status"}),n&&b("span",{class:"chip tag","data-testid":"span-critical",children:"critical path"}),b(It,{tid:"span-fit",small:!0,onClick:s,children:"Fit span"}),b($t,{tid:"span-copy-id",text:e.spanId,label:"Copy span id"})]}),(e.errorType||e.message)&&M("div",{class:"note bad","data-testid":"span-error",children:[e.errorType&&b("strong",{children:b(K,{text:e.errorType})}),e.message&&b(K,{text:e.message})]}),c&&b(Jt,{tid:"span-because",why:String(c.value),by:String(e.attributes.find(l=>l.key==="localpass.approval.decided_by")?.value??"")}),M("dl",{class:"kv num",children:[b("dt",{children:"Began"}),M("dd",{children:[T(e.startMs)," after the trace began"]}),b("dt",{children:"Took"}),M("dd",{"data-testid":"span-took","data-ms":e.durationMs,children:[T(e.durationMs),a!==void 0&&Math.abs(a-e.durationMs)>.001&&", of which "+T(a)+" by itself"]}),b("dt",{children:"Name"}),b("dd",{children:b(K,{text:e.name})}),b("dt",{children:"Kind"}),b("dd",{children:e.kind.toLowerCase()})]}),M("div",{class:"row",children:[i&&b("a",{class:"btn small",href:"/approvals/"+encodeURIComponent(String(i.value)),"data-testid":"span-approval",children:"Open the approval"}),g&&b("a",{class:"btn small",href:"/tools?q="+encodeURIComponent(String(g.value)),"data-testid":"span-tool",children:"Find the tool"}),g&&t.conversationId&&b("a",{class:"btn small",href:"/chat/"+encodeURIComponent(t.conversationId),"data-testid":"span-conversation",children:"Arguments and result in the chat"})]}),p.length>0&&b("h3",{children:"Attributes"}),b(pt,{list:p,tid:"span-attributes"}),e.droppedAttributes?M("p",{class:"hint",children:[e.droppedAttributes," more were left out."]}):null,e.events&&e.events.length>0&&M(at,{children:[b("h3",{children:"Events"}),b("ol",{class:"stack tight","data-testid":"span-events",children:e.events.map(l=>M("li",{children:[b("span",{class:"num muted",children:T(l.atMs)})," ",b(K,{text:l.name}),l.attributes&&b(pt,{list:l.attributes,tid:"span-event-attributes"})]}))})]}),e.content&&e.content.length>0&&M(at,{children:[b("h3",{children:"What was said"}),b(pt,{list:e.content,tid:"span-content"})]})]})]})}import{useEffect as ae,useLayoutEffect as Ot,useRef as ne,useState as Lt}from"./core.js";import{jsx as I,jsxs as W}from"./core.js";var Rt=10;function Et({spans:t,rows:e,folded:a,at:n,view:s,all:r,show:i,onView:c,onChoose:g,onFold:p}){let R=ne(null),[l,O]=Lt({top:0,height:600,row:30,wide:1e3}),A=()=>{let d=R.current;d&&O({top:d.scrollTop,height:d.clientHeight,wide:d.clientWidth,row:parseFloat(getComputedStyle(d).getPropertyValue("--span-row"))||30})};Ot(A,[e.length]),ae(()=>{let d=new ResizeObserver(A);return R.current&&d.observe(R.current),()=>d.disconnect()},[]);let v=l.row;Ot(()=>{let d=R.current;!d||n<0||(n*v<d.scrollTop?d.scrollTop=n*v:(n+1)*v>d.scrollTop+d.clientHeight&&(d.scrollTop=(n+1)*v-d.clientHeight))},[n,v]);let y=Math.max(0,Math.floor(l.top/v)-Rt),S=Math.min(e.length,Math.ceil((l.top+l.height)/v)+Rt),C=d=>e[d]&&g(e[d].span.spanId),_=d=>{let w=e[n],m=w&&a.has(w.span.spanId),h=Math.max(1,Math.floor(l.height/v)-1),E=d.shiftKey&&(d.key==="ArrowLeft"||d.key==="ArrowRight")?{ArrowLeft:i.left,ArrowRight:i.right}:{ArrowDown:()=>C(Math.min(n+1,e.length-1)),ArrowUp:()=>C(Math.max(n-1,0)),PageDown:()=>C(Math.min(n+h,e.length-1)),PageUp:()=>C(Math.max(n-h,0)),Home:()=>C(0),End:()=>C(e.length-1),ArrowLeft:()=>w&&(w.children.length>0&&!m?p(w.span.spanId,!0):w.parent&&g(w.parent.span.spanId)),ArrowRight:()=>w&&w.children.length>0&&(m?p(w.span.spanId,!1):C(n+1)),Enter:()=>n<0&&C(0),"+":i.in,"=":i.in,"-":i.out,0:i.all,f:i.span,Escape:()=>g("")},P=d.ctrlKey||d.metaKey||d.altKey?void 0:E[d.key];P&&(d.preventDefault(),P())},D=St(s,Math.min(6,Math.max(2,Math.floor(l.wide*.42/80)))),B=s.to-s.from;return W("div",{class:"bars",children:[I(oe,{spans:t,view:s,all:r,onView:c}),W("div",{class:"axisline","aria-hidden":"true",children:[I("span",{}),I("span",{class:"scale",children:D.map(d=>I("i",{class:(d-s.from)/B>.85?"end":void 0,style:{left:(d-s.from)/B*100+"%"},children:Mt(d,B)},d))}),I("span",{class:"used",children:"Tokens"}),I("span",{class:"took",children:"Duration"})]}),I("div",{class:"spans",ref:R,role:"tree","aria-label":"Spans",tabIndex:0,"data-testid":"span-tree","data-from":s.from,"data-to":s.to,"aria-activedescendant":n>=0?"span-"+e[n].span.spanId:void 0,onScroll:A,onKeyDown:_,children:I("div",{role:"presentation",style:{height:e.length*v+"px"},children:e.slice(y,S).map((d,w)=>{let m=y+w,h=d.span,E=a.has(h.spanId),P=d.parent?.children??e.filter(N=>!N.parent),Z=yt(h,s),f=h.status==="ERROR",L=z(h);return W("div",{id:"span-"+h.spanId,role:"treeitem",class:"spanrow"+(m===n?" on":""),"aria-selected":m===n,"aria-level":d.depth+1,"aria-expanded":d.children.length?!E:void 0,"aria-setsize":P.length,"aria-posinset":P.indexOf(d)+1,"data-testid":"span-row","data-id":h.spanId,"data-operation":h.operation,"data-status":h.status,"data-critical":d.critical,style:{top:m*v+"px",height:v+"px"},onClick:()=>(C(m),R.current?.focus({preventScroll:!0})),children:[W("span",{class:"label",style:{paddingInlineStart:Math.min(d.depth,12)*12+"px"},children:[I("span",{class:"fold"+(d.children.length?"":" none"),"aria-hidden":"true","data-testid":"span-fold","data-id":h.spanId,onClick:N=>(N.stopPropagation(),p(h.spanId,!E)),children:d.children.length?E?"\u25B8":"\u25BE":""}),f&&I("span",{class:"err","aria-hidden":"true",children:"\u2715"}),I("b",{children:F(h.operation,h.parentId)}),I("span",{class:"cut",dir:"auto",children:L})]}),I("span",{class:"lane",children:I("i",{class:"spanbar "+re(h)+(d.critical?" critical":"")+(f?" bad":"")+(h.status==="RUNNING"?" live":""),"data-testid":"span-bar",style:{left:Z.left+"%",width:Z.width+"%"}})}),I("span",{class:"used num",children:se(h)}),W("span",{class:"took num",children:[T(h.durationMs),W("span",{class:"vh",children:[", ",h.status.toLowerCase(),d.critical?", on the critical path":""]})]})]},h.spanId)})})})]})}function se(t){let e=s=>t.attributes.find(r=>r.key===s)?.value,a=e("gen_ai.usage.input_tokens"),n=e("gen_ai.usage.output_tokens");return t.operation==="chat"&&typeof a=="number"&&typeof n=="number"?a.toLocaleString("en")+" \u2192 "+n.toLocaleString("en"):""}function re(t){return{invoke_agent:"turn",chat:"model",execute_tool:"tool",sandbox:"box",approval:"ask",retrieval:"find",advisor:"find"}[t.operation]??"call"}function oe({spans:t,view:e,all:a,onView:n}){let[s,r]=Lt(null),i=a.to-a.from,c=t.slice(0,1e3),g=v=>+((v-a.from)/i*1e3).toFixed(2),p=40/Math.max(c.length,8),R=c.map((v,y)=>"M"+g(v.startMs)+" "+((y+.5)*p).toFixed(2)+"h"+Math.max(2,g(v.startMs+v.durationMs)-g(v.startMs))).join(""),l=v=>{let y=v.currentTarget.getBoundingClientRect();return a.from+Math.min(Math.max(v.clientX-y.left,0),y.width)/y.width*i},O=s?Math.min(...s):e.from,A=s?Math.max(...s):e.to;return W("svg",{class:"minimap",viewBox:"0 0 1000 40",preserveAspectRatio:"none",role:"img","aria-label":"All of the trace; shown are "+T(e.from)+" to "+T(e.to),"data-testid":"trace-minimap",onPointerDown:v=>(v.currentTarget.setPointerCapture(v.pointerId),r([l(v),l(v)])),onPointerMove:v=>s&&r([s[0],l(v)]),onPointerUp:()=>{s&&Math.abs(s[1]-s[0])>i/500?n({from:Math.min(...s),to:Math.max(...s)}):s&&n({from:s[0]-(e.to-e.from)/2,to:s[0]+(e.to-e.from)/2}),r(null)},children:[I("path",{class:"all",d:R,"stroke-width":Math.max(1,p*.6)}),I("rect",{class:"off",x:"0",y:"0",width:Math.max(0,g(O)),height:"40"}),I("rect",{class:"off",x:g(A),y:"0",width:Math.max(0,1e3-g(A)),height:"40"}),I("rect",{class:"window",x:g(O),y:"0.5",width:Math.max(3,g(A)-g(O)),height:"39"})]})}import{Fragment as st,jsx as u,jsxs as k}from"./core.js";function Nt({id:t,back:e}){let{data:a,error:n,reload:s,loading:r}=ue(p=>le("/api/observe/traces/"+encodeURIComponent(t),p),[t]),i=a?.status==="RUNNING"||a?.spans.some(p=>p.status==="RUNNING");At(()=>de(["observe"],p=>{(p.type==="resync"||i||p.data?.traceId===a?.traceId)&&s()}),[i,a?.traceId]),At(()=>{if(!i)return;let p=setInterval(s,1e3);return()=>clearInterval(p)},[i,t]);let c=n instanceof ie&&n.status===404,g=a?F(a.operation)+(z(a)?" \xB7 "+z(a).slice(0,60):""):"Trace";return u(me,{title:g,crumbs:[["Observability","/observe/traces"],["Traces",e]],full:!0,own:[{id:"refresh",label:"Read the trace again",keys:"r",run:s},{id:"back",label:"Back to all traces",run:()=>ce(e)}],children:k("div",{class:"stack","data-testid":"trace-view","data-id":a?.traceId,children:[u("div",{class:"row",children:u("a",{class:"btn small",href:e,"data-testid":"trace-back",children:"All traces"})}),c&&k(he,{title:"This trace is not kept",children:[u("p",{children:"Traces live in memory: it made room for newer ones, its conversation was deleted, or the playground was started anew."}),u("a",{class:"btn primary",href:"/observe/traces?win=all","data-testid":"trace-gone-all",children:"Show the traces of this run"})]}),n!==null&&!c&&u(be,{error:n,retry:s}),!a&&n===null&&u(ge,{what:"the trace"}),a&&!c&&k(st,{children:[u(ve,{trace:a,loading:r}),u(we,{trace:a})]})]})})}function ve({trace:t,loading:e}){let a=t.tools??[];return k("section",{class:"stack tight","aria-label":"The trace",children:[k("div",{class:"row spread",children:[k("div",{class:"row",children:[u(G,{of:t.outcome??t.status,tid:"trace-view-status"}),u("strong",{class:"num","data-testid":"trace-view-duration","data-ms":t.durationMs,children:T(t.durationMs)}),u("span",{class:"muted",children:u(fe,{at:t.startAt})}),t.errorType&&u("span",{class:"err",children:u(mt,{text:t.errorType})})]}),k("div",{class:"row",children:[t.conversationId&&u("a",{class:"btn small",href:"/chat/"+encodeURIComponent(t.conversationId),"data-testid":"trace-conversation",children:"Open conversation"}),u(_t,{tid:"trace-copy-id",text:t.traceId,label:"Copy trace id"}),u(_t,{tid:"trace-copy-link",text:location.origin+"/observe/traces?trace="+t.traceId,label:"Copy link"}),u("a",{class:"btn small",href:"/api/observe/traces/"+t.traceId+"?format=otlp",download:"trace-"+t.traceId+".json","data-testid":"trace-export",children:"Export OTLP JSON"})]})]}),k("dl",{class:"facts","aria-busy":e,children:[k("div",{children:[u("dt",{children:"Model"}),u("dd",{children:t.models?.length?t.models.map(n=>k("div",{children:[u(mt,{text:(n.provider?n.provider+" \xB7 ":"")+n.name}),k("span",{class:"hint num",children:[n.calls>1?" \xD7"+n.calls:"",n.firstChunkMs!==void 0?", first word "+T(n.firstChunkMs):""]})]})):"\u2014"})]}),k("div",{children:[u("dt",{children:"Tokens"}),u("dd",{class:"num","data-testid":"trace-view-tokens",children:Q(t.tokens)})]}),k("div",{children:[u("dt",{children:"Cost"}),u("dd",{"data-testid":"trace-view-cost",children:et(t)})]}),k("div",{children:[u("dt",{children:"Tools"}),u("dd",{children:a.length===0?"\u2014":a.map((n,s)=>k(st,{children:[s>0&&", ",u("a",{href:"/tools?q="+encodeURIComponent(n.name),"data-testid":"trace-tool","data-id":n.name,children:u(mt,{text:n.name})}),n.calls>1?" \xD7"+n.calls:"",n.errors>0&&k("span",{class:"err",children:[" ",n.errors," failed"]})]}))})]}),k("div",{children:[u("dt",{children:"Spans"}),k("dd",{class:"num",children:[t.spanCount,t.droppedSpans?k("span",{class:"warn","data-testid":"trace-dropped",children:[" ","and ",t.droppedSpans," that found no room"]}):""]})]})]})]})}function we({trace:t}){let a=new URLSearchParams(Pt.value.query).get("span")??"",n=f=>{let L=new URLSearchParams(Pt.value.query);f?L.set("span",f):L.delete("span"),pe("?"+L.toString())},[s,r]=$(new Set),[i,c]=$(""),[g,p]=$(""),[R,l]=$(null),[O,A]=$(Number(Vt.read("lp-trace-split"))||420),v=nt(()=>bt(t.spans),[t]),y=nt(()=>wt(t.spans),[t]),S=R?J(R,y):y,C=Number(g)||0,_=f=>f.durationMs>=C&&(i===""||(f.name+" "+f.spanId+" "+(f.errorType??"")+" "+f.attributes.map(L=>L.value).join(" ")).toLowerCase().includes(i.toLowerCase())),D=nt(()=>vt(v,s,_),[v,s,i,C]),B=nt(()=>i||C?t.spans.filter(_).length:0,[t,i,C]),d=D.findIndex(f=>f.span.spanId===a),w=t.spans.find(f=>f.spanId===a),m=w&&w.startMs+w.durationMs>=S.from&&w.startMs<=S.to?Math.min(Math.max(w.startMs,S.from),S.to):(S.from+S.to)/2,h={in:()=>l(lt(S,2,m,y)),out:()=>l(lt(S,.5,m,y)),left:()=>l(dt(S,-.25,y)),right:()=>l(dt(S,.25,y)),all:()=>l(null),span:()=>w&&l(kt(w,y))},E=t.spans.filter(f=>t.spans.some(L=>L.parentId===f.spanId)),P=f=>{let L=Math.round(Math.min(Math.max(f,280),900));A(L),Vt.write("lp-trace-split",String(L))},Z=S.to-S.from<y.to-y.from;return k(st,{children:[k("div",{class:"row",role:"toolbar","aria-label":"Waterfall",children:[k("label",{class:"field inline",children:[u("span",{class:"label",children:"Find in spans"}),u("input",{class:"input",type:"search","data-filter":!0,"data-testid":"span-search",value:i,autocomplete:"off",spellcheck:!1,onInput:f=>c(f.currentTarget.value),onKeyDown:f=>f.key==="Escape"&&c("")})]}),k("label",{class:"field inline",children:[u("span",{class:"label",children:"Min. duration (ms)"}),u("input",{class:"input short",inputMode:"decimal","data-testid":"span-min",value:g,autocomplete:"off",onInput:f=>p(f.currentTarget.value)})]}),u(H,{tid:"span-fold-all",small:!0,onClick:()=>r(new Set(s.size?[]:E.map(f=>f.spanId))),children:s.size?"Expand all":"Collapse all"}),k("span",{class:"row nowrap",role:"group","aria-label":"Zoom",children:[u(H,{tid:"zoom-in",small:!0,label:"Zoom in",onClick:h.in,children:"+"}),u(H,{tid:"zoom-out",small:!0,label:"Zoom out",disabled:!Z,onClick:h.out,children:"\u2212"}),u(H,{tid:"zoom-left",small:!0,label:"Earlier",disabled:S.from<=y.from,onClick:h.left,children:"\u2190"}),u(H,{tid:"zoom-right",small:!0,label:"Later",disabled:S.to>=y.to,onClick:h.right,children:"\u2192"}),u(H,{tid:"zoom-span",small:!0,disabled:!w,onClick:h.span,children:"Fit span"}),u(H,{tid:"zoom-all",small:!0,disabled:!Z,onClick:h.all,children:"Fit all"})]}),u("span",{class:"hint num","data-testid":"span-count",role:"status",children:i||C?B+" of "+t.spans.length+" spans match":t.spans.length+(t.spans.length===1?" span":" spans")})]}),k("p",{class:"vh",children:["The trace took ",T(t.durationMs),". On the critical path:"," ",D.filter(f=>f.critical).slice(0,12).map(f=>f.span.name+" "+T(f.span.durationMs)).join(", "),"."]}),k("div",{class:"waterfall"+(w?" chosen":""),style:{"--side":O+"px"},children:[u(Et,{spans:t.spans,rows:D,folded:s,at:d,view:S,all:y,show:h,onView:l,onChoose:n,onFold:(f,L)=>r(N=>{let j=new Set(N);return L?j.add(f):j.delete(f),j})}),w&&k(st,{children:[u("div",{class:"splitter",role:"separator","aria-orientation":"vertical","aria-label":"Width of the details","aria-valuenow":O,"aria-valuemin":280,"aria-valuemax":900,tabIndex:0,"data-testid":"span-split",onKeyDown:f=>(f.key==="ArrowLeft"||f.key==="ArrowRight")&&(f.preventDefault(),P(O+(f.key==="ArrowLeft"?24:-24))),onPointerDown:f=>{let L=f.clientX,N=f.currentTarget;N.setPointerCapture(f.pointerId);let j=Wt=>P(O+L-Wt.clientX);N.addEventListener("pointermove",j),N.addEventListener("pointerup",()=>N.removeEventListener("pointermove",j),{once:!0})}}),u(Tt,{trace:t,span:w,selfMs:D[d]?.selfMs,critical:D[d]?.critical??!1,onFit:h.span,onClose:()=>n("")})]})]}),u("p",{class:"hint",children:"A bar with an edge lies on the critical path: the trace would have been shorter without it. Keys in the waterfall: arrows move and fold, + and \u2212 zoom, Shift with arrows moves the view, 0 fits all, f fits the span."})]})}import{adopt as Re}from"./core.js";var Dt=`.tracefilters {
  display: grid;
  grid-template-columns: minmax(180px, 2fr) repeat(4, minmax(110px, 1fr)) minmax(96px, 120px);
  gap: 8px;
  align-items: end;
}
table.traces td:nth-child(2) {
  min-width: 136px;
  overflow-wrap: anywhere;
}
table.traces td:nth-child(3) {
  min-width: 56px;
}
@media (min-width: 720px) {
  table.traces td:first-child {
    white-space: nowrap;
  }
}
@media (min-width: 900px) {
  table.traces td:nth-child(6) {
    white-space: nowrap;
  }
  table.traces td:last-child {
    min-width: 136px;
  }
}
@media (min-width: 1100px) {
  table.traces td:nth-child(3) {
    min-width: 104px;
  }
  table.traces td:last-child {
    min-width: 140px;
  }
}
table.traces.stale {
  opacity: 0.6;
}
.state .sign {
  width: 12px;
  text-align: center;
  font-weight: 700;
}
.spark {
  display: block;
  height: 4px;
  margin-block-start: 4px;
  width: 96px;
  max-width: 100%;
  background: var(--sunken);
  border-radius: 2px;
  overflow: hidden;
}
.spark i {
  display: block;
  height: 100%;
  background: var(--accent);
}
.facts {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(128px, 1fr));
  gap: 8px 16px;
  border: 1px solid var(--line);
  border-radius: var(--r-card);
  padding: 10px 12px;
  background: var(--surface);
}
.facts dt {
  color: var(--muted);
  font-size: var(--t1);
}
.facts dd {
  overflow-wrap: anywhere;
}
.field.inline {
  grid-auto-flow: column;
  align-items: center;
  align-content: center;
  justify-content: start;
  gap: 8px;
}
.field.inline .input {
  width: 200px;
}
.field.inline .input.short {
  width: 88px;
}
.waterfall {
  background: var(--surface);
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  align-items: start;
  border: 1px solid var(--line);
  border-radius: var(--r-card);
  overflow: hidden;
}
.waterfall.chosen {
  grid-template-columns: minmax(0, 1fr) 8px minmax(0, var(--side));
}
.waterfall > .bars {
  min-width: 0;
  container-type: inline-size;
}
.minimap {
  display: block;
  width: 100%;
  height: 44px;
  background: var(--sunken);
  border-bottom: 1px solid var(--line);
  cursor: crosshair;
  touch-action: none;
}
.minimap .all {
  stroke: var(--accent);
  fill: none;
  vector-effect: non-scaling-stroke;
}
.minimap .off {
  fill: var(--bg);
  opacity: 0.65;
}
.minimap .window {
  fill: none;
  stroke: var(--accent);
  stroke-width: 2;
  vector-effect: non-scaling-stroke;
}
.axisline,
.spanrow {
  display: grid;
  grid-template-columns: minmax(150px, 34%) minmax(0, 1fr) max-content 80px;
  gap: 8px;
  align-items: center;
  padding-inline: 8px;
}
.axisline {
  height: 26px;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
  font-size: var(--t1);
  color: var(--muted);
}
.scale {
  position: relative;
  height: 100%;
  overflow: hidden;
}
.scale i {
  position: absolute;
  inset-block: 0;
  padding-inline-start: 4px;
  border-inline-start: 1px solid var(--line);
  font-style: normal;
  white-space: nowrap;
  line-height: 26px;
}
.scale i.end {
  translate: -100%;
  border-inline: 0;
  border-inline-end: 1px solid var(--line);
  padding-inline: 0 4px;
}
.spans {
  --span-row: 30px;
  position: relative;
  overflow: auto;
  max-height: min(64vh, 720px);
  outline-offset: -2px;
}
.spans > div {
  position: relative;
}
.spanrow {
  position: absolute;
  inset-inline: 0;
  border-bottom: 1px solid var(--line);
  cursor: pointer;
}
.spanrow:hover {
  background: var(--hover);
}
.spanrow.on {
  background: var(--hover);
  box-shadow: inset 2px 0 0 var(--text);
}
.spanrow .label {
  display: flex;
  gap: 6px;
  align-items: center;
  min-width: 0;
  white-space: nowrap;
  font-weight: 400;
}
.spanrow .label b {
  font-weight: 500;
  flex: none;
}
.spanrow .cut {
  overflow: hidden;
  text-overflow: ellipsis;
  color: var(--muted);
}
.spanrow .fold {
  width: 18px;
  text-align: center;
  flex: none;
  border-radius: var(--r);
}
.spanrow .fold:not(.none):hover {
  background: var(--line);
}
.spanrow .lane {
  position: relative;
  height: 100%;
  overflow: hidden;
}
.took,
.used {
  text-align: end;
  font-size: var(--t2);
  color: var(--muted);
  white-space: nowrap;
}
.used {
  width: 92px;
}
.axisline .took,
.axisline .used {
  font-size: var(--t1);
}
@container (max-width: 620px) {
  .used {
    display: none;
  }
}
.spanbar {
  position: absolute;
  inset-block: 8px;
  min-width: 3px;
  border-radius: 3px;
  background: var(--series);
  --series: #515b6b;
}
.spanbar.turn {
  --series: #515b6b;
}
.spanbar.model {
  --series: #0b5fcc;
}
.spanbar.tool {
  --series: #146c43;
}
.spanbar.box {
  --series: #0f6157;
}
.spanbar.ask {
  --series: #8a5300;
}
.spanbar.find {
  --series: #8e3b9e;
}
.spanbar.call {
  --series: #8a5300;
}
.spanbar.bad {
  --series: #b42318;
}
.spanbar {
  opacity: 0.55;
}
.spanbar.critical {
  opacity: 1;
  outline: 2px solid var(--text);
  outline-offset: -1px;
}
.spanbar.live {
  border-start-end-radius: 0;
  border-end-end-radius: 0;
  background: repeating-linear-gradient(90deg, var(--series) 0 8px, transparent 8px 12px);
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) :is(.spanbar.turn, .spanbar) {
    --series: #aab4c3;
  }
  :root:not([data-theme="light"]) .spanbar.model {
    --series: #79b0ff;
  }
  :root:not([data-theme="light"]) .spanbar.tool {
    --series: #6fd7a0;
  }
  :root:not([data-theme="light"]) .spanbar.box {
    --series: #76d6c8;
  }
  :root:not([data-theme="light"]) :is(.spanbar.ask, .spanbar.call) {
    --series: #f3c15b;
  }
  :root:not([data-theme="light"]) .spanbar.find {
    --series: #dda3ec;
  }
  :root:not([data-theme="light"]) .spanbar.bad {
    --series: #ff9a93;
  }
}
:root[data-theme="dark"] .spanbar {
  --series: #aab4c3;
}
:root[data-theme="dark"] .spanbar.model {
  --series: #79b0ff;
}
:root[data-theme="dark"] .spanbar.tool {
  --series: #6fd7a0;
}
:root[data-theme="dark"] .spanbar.box {
  --series: #76d6c8;
}
:root[data-theme="dark"] :is(.spanbar.ask, .spanbar.call) {
  --series: #f3c15b;
}
:root[data-theme="dark"] .spanbar.find {
  --series: #dda3ec;
}
:root[data-theme="dark"] .spanbar.bad {
  --series: #ff9a93;
}
@media (forced-colors: active) {
  .spanbar {
    background: CanvasText;
  }
  .spanbar.bad {
    background: Mark;
  }
}
.splitter {
  align-self: stretch;
  cursor: col-resize;
  background: var(--sunken);
  border-inline: 1px solid var(--line);
  touch-action: none;
}
.splitter:focus-visible {
  outline-offset: -2px;
  background: var(--accent);
}
.spanview {
  min-width: 0;
  max-height: min(74vh, 800px);
  overflow: auto;
  padding: 0 12px 12px;
}
.spanview > header {
  position: sticky;
  inset-block-start: 0;
  background: var(--surface);
  padding: 8px 0;
  z-index: 2;
}
.attributes {
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
}
.attributes dt code {
  font-size: var(--t1);
}
.attributes dd {
  font-size: var(--t2);
}
@media (max-width: 1099px) {
  .waterfall.chosen {
    grid-template-columns: minmax(0, 1fr);
  }
  .splitter {
    display: none;
  }
  .spanview {
    border-block-start: 2px solid var(--line);
    max-height: none;
  }
  .tracefilters {
    grid-template-columns: repeat(3, minmax(0, 1fr));
  }
}
.pick[open] > div:has(form) {
  inset-inline-end: 0;
  min-width: 240px;
}
.morefilters > summary {
  display: none;
}
@media (max-width: 719px) {
  .morefilters > summary {
    display: list-item;
    min-height: 32px;
    padding: 6px 0;
  }
  .tracefilters {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
  .tracefilters .search {
    grid-column: 1 / -1;
  }
  .minimap {
    display: none;
  }
  table.traces tr {
    grid-template-columns: 1fr 1fr;
  }
  table.traces td:nth-child(2) {
    grid-column: 1 / -1;
    order: -1;
  }
  .spans {
    --span-row: 52px;
  }
  .axisline {
    grid-template-columns: minmax(0, 1fr);
  }
  .axisline > span:not(.scale) {
    display: none;
  }
  .spanrow {
    grid-template: 28px 20px / minmax(0, 1fr) auto;
    gap: 0 8px;
    align-content: start;
  }
  .spanrow .used {
    display: none;
  }
  .spanrow .lane {
    grid-row: 2;
    grid-column: 1 / -1;
  }
  .spanbar {
    inset-block: 4px;
  }
  .field.inline,
  .field.inline .input {
    width: 100%;
  }
  .field.inline {
    grid-template-columns: auto minmax(0, 1fr);
  }
}
@media print {
  .minimap,
  .waterfall + p,
  [role="toolbar"] {
    display: none;
  }
  .spans {
    max-height: none;
    overflow: visible;
  }
}
`;import{Fragment as Ft,jsx as o,jsxs as x}from"./core.js";Re(Dt);var ot=[["5m","5 min"],["10m","10 min"],["20m","20 min"],["30m","30 min"],["1h","1 h"],["3h","3 h"],["all","This run"]],ft=100,Le=matchMedia("(max-width: 719px)").matches,Ee=[["","Any status"],["running","Running"],["ok","Ok"],["error","Error"],["cancelled","Cancelled"],["blocked","Blocked"],["paused","Paused"],["incomplete","Incomplete"]],Ae=["win","from","to","model","tool","server","status","conv","min","q"];function X(){let t=new URLSearchParams(ht.value.query),e={};for(let a of Ae)t.get(a)&&(e[a]=t.get(a));return!e.win&&!e.from&&!e.to&&(e.win="30m"),e}function Ma({args:t}){let e=t[0]??"";it(()=>{e===""&&ye("/observe/traces"+ht.value.query,!0)},[e]);let a=new URLSearchParams(ht.value.query).get("trace"),n=Ut(a);return it(()=>{n.current!==a&&document.querySelector("h1")?.focus({preventScroll:!0}),n.current=a},[a]),e!==""&&e!=="traces"?o(Kt,{title:"Observability",children:o(gt,{title:"There is no such page here",children:o("a",{class:"btn primary",href:"/observe/traces","data-testid":"observe-to-traces",children:"Open the traces"})})}):a?o(Nt,{id:a,back:"/observe/traces"+U(X())}):o(Pe,{})}function Pe(){let t=X(),[e,a]=tt([]),[n,s]=tt(t.q??""),[r,i]=tt(t.min??""),c=Bt(n,200),g=Bt(r,300),p=m=>{let h={...X(),...m};m.win?(delete h.from,delete h.to):(m.from||m.to)&&delete h.win,a([]),ut(U(h))};it(()=>{c!==(X().q??"")&&p({q:c})},[c]),it(()=>{g!==(X().min??"")&&p({min:g})},[g]);let R=U(t),{data:l,error:O,loading:A,reload:v}=Se(m=>ke("/api/observe/traces"+U({...t,limit:ft,cursor:e[e.length-1]}),m),[R,e],["observe"]),y=m=>{let h=ot.findIndex(([E])=>E===X().win);h>=0&&ot[h+m]&&p({win:ot[h+m][0]})},S=()=>{let m=new Date(l?.to??Date.now()),h=l?.from?new Date(l.from):new Date(Math.min(...(l?.items??[]).map(E=>Date.parse(E.startAt)),m.getTime()-6e4));return{...t,win:"",from:t.from??h.toISOString(),to:t.to??m.toISOString()}},C=async()=>{let m=S();ut(U(m));try{await navigator.clipboard.writeText(location.origin+"/observe/traces"+U(m)),zt("Copied a link to just this range.")}catch{zt("The address now holds just this range: copy it from there.")}},_=["model","tool","server","status","conv","min","q"].filter(m=>t[m]).length,D=()=>(s(""),i(""),p({model:"",tool:"",server:"",status:"",conv:"",min:"",q:""})),B=(m,h,E)=>[["",h],...[...new Set([...m??[],...E?[E]:[]])].map(P=>[P,P])],d=l?.totals.longestMs??0,w=l?.totals;return o(Kt,{title:"Traces",crumbs:[["Observability","/observe/traces"]],own:[{id:"refresh",label:"Read the traces again",keys:"r",run:v},{id:"narrower",label:"Narrower window",keys:"[",run:()=>y(-1)},{id:"wider",label:"Wider window",keys:"]",run:()=>y(1)},{id:"absolute",label:"Make the range absolute",keys:"t a",run:()=>ut(U(S()))},{id:"share",label:"Copy a link to this range",run:()=>{C()}}],children:x("div",{class:"stack","data-testid":"observe-traces",children:[x("div",{class:"row spread",children:[t.win?o(Te,{tid:"trace-window",label:"Window",value:t.win,options:ot,onChange:m=>p({win:m})}):x("div",{class:"row","data-testid":"trace-range",children:[x("span",{class:"chip tag",children:[t.from?new Date(t.from).toLocaleString():"The beginning"," to"," ",t.to?new Date(t.to).toLocaleString():"now"]}),o(q,{tid:"trace-range-live",small:!0,onClick:()=>p({win:"30m"}),children:"Follow the last 30 min"})]}),x("span",{class:"row",children:[o(Ve,{state:t,set:p}),o(q,{tid:"trace-refresh",small:!0,busy:A&&l!==void 0,onClick:v,children:"Refresh"}),o(q,{tid:"trace-share",small:!0,icon:"link",onClick:()=>{C()},children:"Share link"})]})]}),x("details",{class:"morefilters",open:!Le||void 0,children:[x("summary",{"data-testid":"trace-filters",children:["Filters",_?" ("+_+")":""]}),x("div",{class:"tracefilters",children:[x("label",{class:"field search",children:[o("span",{class:"label",children:"Name or id"}),o("input",{class:"input",type:"search","data-filter":!0,"data-testid":"trace-search",value:n,autocomplete:"off",spellcheck:!1,onInput:m=>s(m.currentTarget.value),onKeyDown:m=>m.key==="Escape"&&s("")})]}),o(rt,{tid:"trace-filter-model",label:"Model",value:t.model??"",options:B(l?.models,"Any model",t.model),onChange:m=>p({model:m})}),o(rt,{tid:"trace-filter-tool",label:"Tool",value:t.tool??"",options:B(l?.tools,"Any tool",t.tool),onChange:m=>p({tool:m})}),o(rt,{tid:"trace-filter-server",label:"Server",value:t.server??"",options:B(l?.servers,"Any server",t.server),onChange:m=>p({server:m})}),o(rt,{tid:"trace-filter-status",label:"Status",value:t.status??"",options:Ee,onChange:m=>p({status:m})}),o(Oe,{tid:"trace-filter-min",label:"Min. duration (ms)",value:r,onInput:i})]})]}),t.conv&&x("div",{class:"row",children:[x("span",{class:"chip tag",children:["Conversation ",o(Y,{text:t.conv})]}),o(q,{tid:"trace-filter-conv-clear",small:!0,kind:"quiet",onClick:()=>p({conv:""}),children:"Show all conversations"})]}),O!==null&&o(Ce,{error:O,retry:v}),!l&&O===null&&o(Ie,{what:"traces"}),l&&w&&x("p",{class:"num muted","data-testid":"trace-totals",children:[w.traces," ",w.traces===1?"trace":"traces"," \xB7 ",w.errors," with an error",w.running?" \xB7 "+w.running+" running":""," \xB7 ",w.toolCalls," tool"," ",w.toolCalls===1?"call":"calls"," \xB7 tokens ",Q(w.tokens)]}),l&&l.items.length===0&&(_?o(gt,{title:"No trace matches "+_+(_===1?" filter":" filters"),children:o(q,{tid:"trace-clear",kind:"primary",onClick:D,children:"Clear filters"})}):x(gt,{title:"Nothing was traced in this window",children:[o("p",{children:"Each chat turn, test run and call by an MCP client is recorded here while the playground runs. Nothing is sent anywhere."}),o("a",{class:"btn primary",href:"/chat","data-testid":"trace-empty-chat",children:"Start a chat"}),t.win!=="all"&&o(q,{tid:"trace-empty-all",onClick:()=>p({win:"all"}),children:"Show all of this run"})]})),l&&l.items.length>0&&x("table",{class:"cards traces"+(O!==null?" stale":""),"data-testid":"trace-list",children:[o("thead",{children:x("tr",{children:[o("th",{scope:"col",children:"Started"}),o("th",{scope:"col",children:"What"}),o("th",{scope:"col",children:"Model"}),o("th",{scope:"col",children:"Duration"}),o("th",{scope:"col",children:"Tokens"}),o("th",{scope:"col",children:"Cost"}),o("th",{scope:"col",children:"Status"})]})}),o("tbody",{children:l.items.map(m=>o(_e,{trace:m,longest:d,state:t},m.traceId))})]}),l&&(l.nextCursor||e.length>0)&&x("nav",{class:"row","aria-label":"Pages of traces",children:[o(q,{tid:"trace-newer",disabled:e.length===0,onClick:()=>a(e.slice(0,-1)),children:"Newer"}),o(q,{tid:"trace-older",disabled:!l.nextCursor,onClick:()=>a([...e,l.nextCursor]),children:"Older"}),x("span",{class:"muted num","data-testid":"trace-place",children:[e.length*ft+1," to ",e.length*ft+l.items.length," of"," ",l.totals.traces]})]})]})})}function qt(t){let e=t?new Date(t):new Date(NaN);return isNaN(e.getTime())?"":new Date(e.getTime()-e.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function Ve({state:t,set:e}){let a=Ut(null),[n,s]=tt(qt(t.from)),[r,i]=tt(qt(t.to)),c=n!==""&&r!==""&&n>r;return x("details",{class:"pick",ref:a,onKeyDown:p=>p.key==="Escape"&&a.current&&(a.current.open=!1),children:[o("summary",{class:"btn small","data-testid":"trace-range-open",children:"Custom range"}),o("div",{children:x("form",{class:"stack tight",onSubmit:p=>{p.preventDefault(),!(c||n===""&&r==="")&&(e({from:n?new Date(n).toISOString():"",to:r?new Date(r).toISOString():""}),a.current&&(a.current.open=!1))},children:[x("label",{class:"field",children:[o("span",{class:"label",children:"From"}),o("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-from",value:n,onInput:p=>s(p.currentTarget.value)})]}),x("label",{class:"field",children:[o("span",{class:"label",children:"To, or empty for now"}),o("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-to",value:r,onInput:p=>i(p.currentTarget.value)})]}),c&&o("p",{class:"err",role:"alert",children:"The end lies before the beginning. Choose a later end."}),o(q,{tid:"trace-range-show",kind:"primary",type:"submit",disabled:c||n===""&&r==="",children:"Show range"})]})})]})}function _e({trace:t,longest:e,state:a}){let n=t.models??[],s=z(t),r=t.tools??[];return x("tr",{"data-testid":"trace-row","data-id":t.traceId,"data-status":t.outcome??t.status,children:[o("td",{"data-label":"Started",children:o(Me,{at:t.startAt})}),x("td",{children:[x("a",{href:"/observe/traces"+U({...a,trace:t.traceId}),"data-row":!0,"data-testid":"trace-open","data-id":t.traceId,children:[F(t.operation),s&&x(Ft,{children:[" ","\xB7 ",o(Y,{text:s})]})]}),x("div",{class:"hint num",children:[t.spanCount," ",t.spanCount===1?"span":"spans",r.length>0&&x(Ft,{children:[" ","\xB7"," ",o(Y,{text:r.slice(0,4).map(i=>i.name+(i.calls>1?" \xD7"+i.calls:"")).join(", ")+(r.length>4?", and "+(r.length-4)+" more":"")})]}),t.toolErrors>0&&x("span",{class:"err",children:[" ","\xB7 ",t.toolErrors," tool ",t.toolErrors===1?"error":"errors"]})]})]}),o("td",{"data-label":"Model",children:n.length===0?o("span",{class:"muted",children:"\u2014"}):o(Y,{text:n[0].name+(n.length>1?" and "+(n.length-1)+" more":"")})}),x("td",{"data-label":"Duration",class:"num","data-testid":"trace-duration","data-ms":t.durationMs,children:[T(t.durationMs),o("span",{class:"spark","aria-hidden":"true",children:o("i",{style:{width:Math.max(1,e>0?t.durationMs/e*100:0)+"%"}})})]}),o("td",{"data-label":"Tokens",class:"num",children:Q(t.tokens)}),o("td",{"data-label":"Cost","data-testid":"trace-cost",children:et(t)}),x("td",{"data-label":"Status",children:[o(G,{of:t.outcome??t.status,tid:"trace-status"}),t.errorType&&t.outcome!=="cancelled"&&o("div",{class:"hint",children:o(Y,{text:t.errorType})})]})]})}export{Ma as Observe};

import{useEffect as mt,useRef as ie,useState as ot}from"./core.js";import{get as Ze,query as H}from"./core.js";import{go as Qe,place as St,setQuery as kt}from"./core.js";import{Page as le}from"./core.js";import{useData as $e,useLater as ne}from"./core.js";import{Foreign as st}from"./core.js";import{Ago as Ye,Button as q,counted as ta,Empty as Mt,Loading as ea,ProblemView as aa,Segments as na,Select as pt,Text as ra,toast as re}from"./core.js";function W(t){let e=t!==0&&Math.abs(t)<1e4?6:t%1e4===0?2:4;return"$"+(t/1e6).toLocaleString("en",{minimumFractionDigits:e,maximumFractionDigits:e})}import{useEffect as he,useRef as fe,useState as it}from"./core.js";import{ApiError as ge,post as be,send as It}from"./core.js";import{Page as ve}from"./core.js";import{useData as we,useLater as xe}from"./core.js";import{Foreign as Ct}from"./core.js";import{Button as J,counted as At,Empty as ke,Loading as ye,ProblemView as Tt,Text as G,toast as Rt}from"./core.js";function Ot(t,e,a){let n=URL.createObjectURL(new Blob([t],{type:a})),s=document.createElement("a");s.href=n,s.download=e,s.click(),setTimeout(()=>URL.revokeObjectURL(n),1e3)}import{jsx as ue,jsxs as me}from"./core.js";var ce={invoke_agent:"Chat turn","tools/call":"MCP call",local_pass:"Test run",execute_tool:"Tool",chat:"Model call",approval:"Approval",sandbox:"Sandbox",advisor:"Advisor",retrieval:"Retrieval"},K=(t,e)=>(t==="tools/call"&&e?"Hub":ce[t])??(t.includes("/")?"MCP "+t:t||"Operation"),z=t=>t.name.startsWith(t.operation+" ")?t.name.slice(t.operation.length+1):t.name===t.operation?"":t.name,pe={RUNNING:["running","mid","\u2026"],ok:["ok","good","\u2713"],OK:["ok","good","\u2713"],error:["error","bad","\u2715"],ERROR:["error","bad","\u2715"],cancelled:["cancelled","off","\u2013"],CANCELLED:["cancelled","off","\u2013"],blocked:["blocked","mid","!"],paused:["paused","mid","\u2016"],incomplete:["incomplete","mid","?"],INCOMPLETE:["incomplete","mid","?"]};function Y({of:t,tid:e}){let[a,n,s]=pe[t]??[t,"off","?"];return me("span",{class:"state "+n,"data-testid":e,"data-status":t,children:[ue("span",{class:"sign","aria-hidden":"true",children:s}),a]})}function tt(t){switch(t.cost){case void 0:return"\u2014";case"priced":return W(t.costMicroUSD??0);case"partly":return t.costMicroUSD===void 0?"in part unpriced":W(t.costMicroUSD)+", in part unpriced";case"unpriced":return"unpriced"}return!t.models||t.models.every(e=>e.provider==="demo")?"no cost":t.models.every(e=>e.provider==="ollama"||e.provider==="demo")?"local, free":"free"}var j=t=>t?t.input.toLocaleString("en")+" in, "+t.output.toLocaleString("en")+" out"+(t.estimated?" (estimated)":""):"\u2014";import{jsx as w,jsxs as V}from"./core.js";var ht="/api/observe/pricing",Pt=t=>t.tokens?t.tokens.input+t.tokens.output:0,Dt=t=>t.cost==="unpriced"||t.cost==="partly",Et=t=>t.reduce((e,a)=>e+(a.costMicroUSD??0),0),Lt=t=>t.some(e=>e.costMicroUSD!==void 0);function Se(t,e){let a=e.filter(Dt).length,n=a?" "+At(a,"model")+" would have no price.":"";if(!Lt(e))return"With these prices, no cost of what is recorded is known."+n;let s=Lt(t)?" in place of "+W(Et(t))+".":". Without them, no cost is known.";return"With these prices, what is recorded costs "+W(Et(e))+s+n}var ft=t=>Object.fromEntries(Object.entries(t).filter(([e,a])=>a!==""||["match","source","input","output"].includes(e)));function Nt(){let{data:t,error:e,reload:a}=we(async r=>{let i=await It("GET",ht,void 0,{signal:r});return{...i.data,etag:i.etag}},[]),[n,s]=it(null),[o,l]=it(null),[u,f]=it(!1),m=fe(null),O=n??t?.prices??[],c=n!==null&&JSON.stringify(n.map(ft))!==JSON.stringify(t?.prices),C=xe(JSON.stringify({prices:O.map(ft)}),300),[A,v]=it(null);he(()=>{if(!c)return v(null);let r=new AbortController;return be(ht+"/preview",void 0,{raw:C,signal:r.signal}).then(i=>r.signal.aborted||(v(i.models),l(null)),i=>r.signal.aborted||(v(null),l(i))),()=>r.abort()},[C,c]);let y=(r,i)=>s(O.map((k,N)=>N===r?{...k,...i}:k)),I=r=>s([...O,{match:r?.name??"",provider:r?.provider??"",input:"",output:"",source:""}]),T=async()=>{f(!0);try{let r=t?.etag?{ifMatch:t.etag}:{ifNone:!0};await It("PUT",ht,{prices:O.map(ft)},r),s(null),l(null),Rt("The prices are saved. What was recorded is computed anew."),a()}catch(r){l(r)}f(!1)},B=async r=>{if(r)try{let k=JSON.parse(await r.text()).prices;if(!Array.isArray(k))throw new Error("There is no list named prices in it.");s([...O,...k])}catch(i){Rt(r.name+" is not a file of prices. "+(i instanceof SyntaxError?"It is not JSON.":i.message),void 0,!0)}},D=t?.models??[],_=(A??D).filter(Dt),p=D.reduce((r,i)=>r+Pt(i),0),b=o instanceof ge&&o.code==="stale_version";return w(ve,{title:"Prices",crumbs:[["Observability","/observe/traces"]],children:V("div",{class:"stack","data-testid":"prices",children:[w("p",{class:"muted",children:"What models cost, in US dollars for a million tokens. localpass contains no prices: copy them from the page of your provider, and write down where you found them."}),e!==null&&w(Tt,{error:e,retry:a}),!t&&e===null&&w(ye,{what:"prices"}),t&&_.length>0&&V("div",{class:"note","data-testid":"prices-missing",children:[V("strong",{children:[At(_.length,"model")," without a price",p>0?", "+Math.round(100*_.reduce((r,i)=>r+Pt(i),0)/p)+" % of the tokens":""]}),_.map(r=>V("div",{class:"row spread",children:[V("span",{children:[w(Ct,{text:(r.provider?r.provider+"/":"")+r.name})," ",w("span",{class:"muted num",children:j(r.tokens)})]}),w(J,{tid:"price-add-model",dataId:r.name,small:!0,onClick:()=>I(r),children:"Enter its price"})]},r.provider+"/"+r.name))]}),t&&O.length===0&&w(ke,{title:"There are no prices yet",children:w("p",{children:"Costs are shown as unpriced, never as zero, until a price is entered."})}),O.map((r,i)=>V("fieldset",{class:"card pricerow","data-testid":"price-row","data-id":r.match,children:[w("legend",{class:"vh",children:r.match||"A new price"}),w(G,{tid:"price-match",label:"Model",value:r.match,hint:"A star at the end matches the rest.",onInput:k=>y(i,{match:k})}),w(G,{tid:"price-provider",label:"Provider",value:r.provider??"",hint:"Empty: any.",onInput:k=>y(i,{provider:k})}),w(G,{tid:"price-input",label:"Input",value:r.input,onInput:k=>y(i,{input:k})}),w(G,{tid:"price-cached",label:"Cached input",value:r.cacheRead??"",hint:"Empty: as input.",onInput:k=>y(i,{cacheRead:k})}),w(G,{tid:"price-output",label:"Output",value:r.output,onInput:k=>y(i,{output:k})}),w(G,{tid:"price-from",label:"Valid from",value:r.validFrom??"",placeholder:"2026-11-01",hint:"Empty: always.",onInput:k=>y(i,{validFrom:k})}),w(G,{tid:"price-source",label:"Source",value:r.source,hint:"Where you found it.",onInput:k=>y(i,{source:k})}),w(J,{tid:"price-remove",kind:"quiet",label:"Remove the price of "+(r.match||"the new model"),onClick:()=>s(O.filter((k,N)=>N!==i)),children:"Remove"})]},i)),o!==null&&V("div",{"data-testid":"prices-problem",children:[w(Tt,{error:o}),b&&w(J,{tid:"prices-reread",onClick:()=>(s(null),l(null),a()),children:"Read the saved prices"})]}),A&&w("p",{class:"num",role:"status","data-testid":"prices-preview",children:Se(D,A)}),t&&V("div",{class:"row",children:[w(J,{tid:"prices-save",kind:"primary",busy:u,disabled:!c,onClick:()=>{T()},children:"Save the prices"}),w(J,{tid:"price-add",icon:"plus",onClick:()=>I(),children:"Add a price"}),w(J,{tid:"prices-import",onClick:()=>m.current?.click(),children:"Import a file"}),w("input",{ref:m,type:"file",accept:".json,application/json",hidden:!0,"data-testid":"prices-file",onChange:r=>{B(r.currentTarget.files?.[0]),r.currentTarget.value=""}}),t.prices.length>0&&w(J,{tid:"prices-export",onClick:()=>Ot(JSON.stringify({prices:t.prices},null,2)+`
`,"prices.json","application/json"),children:"Export"})]}),t&&D.length>0&&V("table",{class:"cards","data-testid":"prices-models",children:[w("caption",{class:"vh",children:"The use of each model in what is recorded"}),w("thead",{children:V("tr",{children:[w("th",{scope:"col",children:"Model"}),w("th",{scope:"col",children:"Calls"}),w("th",{scope:"col",children:"Tokens"}),w("th",{scope:"col",children:"Cost"})]})}),w("tbody",{children:D.map(r=>V("tr",{"data-testid":"prices-model","data-id":r.name,children:[w("td",{"data-label":"Model",children:w(Ct,{text:(r.provider?r.provider+"/":"")+r.name})}),w("td",{"data-label":"Calls",class:"num",children:r.calls.toLocaleString("en")}),w("td",{"data-label":"Tokens",class:"num",children:j(r.tokens)}),w("td",{"data-label":"Cost",class:"num","data-testid":"prices-cost",children:tt({...r,models:[r]})})]},r.provider+"/"+r.name))})]})]})})}import{useEffect as Qt,useMemo as dt,useState as rt}from"./core.js";import{ApiError as _e,get as Be}from"./core.js";import{on as Ve}from"./core.js";import{go as Ue,place as $t,setQuery as Fe}from"./core.js";import{Page as ze}from"./core.js";import{kept as Yt,useData as qe}from"./core.js";import{Foreign as xt}from"./core.js";import{Ago as We,Button as Q,Copy as te,Empty as Ke,Loading as je,ProblemView as He}from"./core.js";import{Because as Ie}from"./core.js";import{Foreign as X}from"./core.js";import{Button as Kt,Copy as Ce}from"./core.js";var U=t=>t.startMs+t.durationMs;function _t(t){let e=new Map;for(let o of t)e.set(o.spanId,{span:o,depth:0,children:[],parent:null,critical:!1,selfMs:o.durationMs});let a=[];for(let o of e.values()){let l=o.span.parentId?e.get(o.span.parentId):void 0,u=!1;for(let f=l;f;f=f.parent)u||=f===o;!l||u?a.push(o):(o.parent=l,l.children.push(o))}let n=(o,l)=>o.span.startMs-l.span.startMs||U(l.span)-U(o.span);a.sort(n);let s=[...a];for(let o=s.pop();o;o=s.pop()){o.children.sort(n),o.selfMs=Me(o);for(let l of o.children)l.depth=o.depth+1,s.push(l)}return a[0]&&Oe(a[0]),a}function Me(t){let e=0,a=t.span.startMs;for(let{span:n}of t.children){let s=Math.max(n.startMs,a),o=Math.min(U(n),U(t.span));o>s&&(e+=o-s,a=o)}return Math.max(0,t.span.durationMs-e)}function Oe(t){let e=[t];for(let a=e.pop();a;a=e.pop()){a.critical=!0;let n=U(a.span);for(let s of[...a.children].sort((o,l)=>U(l.span)-U(o.span)))U(s.span)>n||s.span.durationMs<=0||(e.push(s),n=s.span.startMs)}}function Bt(t,e,a){let n=[],s=new Set,o=[],l=[...t].reverse();for(let u=l.pop();u;u=l.pop())o.push(u),l.push(...[...u.children].reverse());for(let u of o)if(a(u.span))for(let f=u;f&&!s.has(f);f=f.parent)s.add(f);for(let u of o){let f=!s.has(u);for(let m=u.parent;m&&!f;m=m.parent)f=e.has(m.span.spanId);f||n.push(u)}return n}function Vt(t){let e=1/0,a=-1/0;for(let n of t)e=Math.min(e,n.startMs),a=Math.max(a,U(n));return a>e||(a=(Number.isFinite(e)?e:e=0)+1),{from:e,to:a}}var Ut=.001;function nt(t,e){let a=Math.min(Math.max(t.to-t.from,Ut),e.to-e.from),n=Math.min(Math.max(t.from,e.from),e.to-a);return{from:n,to:n+a}}function gt(t,e,a,n){let s=(t.to-t.from)/e,o=(a-t.from)/(t.to-t.from);return nt({from:a-s*o,to:a+s*(1-o)},n)}function bt(t,e,a){let n=(t.to-t.from)*e;return nt({from:t.from+n,to:t.to+n},a)}function Ft(t,e){let a=Math.max(t.durationMs*.1,Ut/2);return nt({from:t.startMs-a,to:U(t)+a},e)}function zt(t,e){let a=e.to-e.from,n=o=>Math.min(Math.max((o-e.from)/a*100,-5),105),s=n(t.startMs);return{left:s,width:n(U(t))-s}}function qt(t,e=6){let a=(t.to-t.from)/e,n=Math.pow(10,Math.floor(Math.log10(a))),o=(a>1e3?[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,18e3,36e3].map(u=>u*1e3):[1,2,5,10].map(u=>u*n)).find(u=>u>=a)??a,l=[];for(let u=Math.ceil(t.from/o);u*o<=t.to&&l.length<20;u++)l.push(u*o);return l}function E(t){let e=Math.abs(t),a=t<0?"\u2212":"";if(e===0)return"0 ms";if(e<1)return a+(e<.001?"<1":Math.round(e*1e3))+" \xB5s";if(e<10)return a+ +e.toFixed(2)+" ms";if(e<1e3)return a+Math.round(e)+" ms";if(e<6e4)return a+ +(e/1e3).toFixed(2)+" s";let n=e<36e5?[Math.round(e/1e3),60,"min","s"]:[Math.round(e/6e4),60,"h","min"],[s,o,l,u]=n;return a+Math.floor(s/o)+" "+l+(s%o?" "+s%o+" "+u:"")}function Wt(t,e){if(e>=1e3)return E(Math.round(t));let a=Math.min(3,Math.max(0,2-Math.floor(Math.log10(e))));return t.toFixed(a)+" ms"}import{Fragment as lt,jsx as x,jsxs as R}from"./core.js";var vt=["gen_ai.provider.name","gen_ai.request.model","gen_ai.usage.input_tokens","gen_ai.usage.output_tokens","gen_ai.response.time_to_first_chunk","gen_ai.response.finish_reasons","gen_ai.tool.name","localpass.mcp.server","localpass.sandbox.level","localpass.approval.outcome","localpass.outcome","mcp.method.name","network.transport","error.type"],Te=["gen_ai.response.time_to_first_chunk"],jt=t=>vt.includes(t.key)?vt.indexOf(t.key):vt.length,Re=/^(data:[^,]{0,80};base64,)?[A-Za-z0-9+/]{200,}={0,2}$/;function Pe({of:t}){let e=Array.isArray(t.value)?t.value.map(String).join(", "):String(t.value);return Re.test(e)?R("span",{class:"muted",children:[e.length.toLocaleString("en")," characters of encoded data"]}):e.length>400?R("details",{children:[R("summary",{"data-testid":"span-long",children:[e.length.toLocaleString("en")," characters"]}),x("pre",{class:"code",tabIndex:0,children:x(X,{text:e})})]}):x(X,{text:Te.includes(t.key)&&typeof t.value=="number"?E(t.value*1e3):e})}function wt({list:t,tid:e}){return x("dl",{class:"kv attributes","data-testid":e,children:t.map(a=>R(lt,{children:[x("dt",{children:x("code",{class:"wrap",children:a.key.split(/(?<=[._])/).map(n=>R(lt,{children:[n,x("wbr",{})]}))})}),x("dd",{children:x(Pe,{of:a})})]}))})}function Ht({trace:t,span:e,selfMs:a,critical:n,onFit:s,onClose:o}){let l=e.attributes.find(c=>c.key==="localpass.approval.request"),u=e.attributes.find(c=>c.key==="localpass.approval.because"),f=e.attributes.find(c=>c.key==="gen_ai.tool.name"),m=[...e.attributes].sort((c,C)=>jt(c)-jt(C)),O=z(e);return R("section",{class:"spanview","aria-label":"The span","data-testid":"span-view","data-id":e.spanId,children:[R("header",{class:"row spread nowrap",children:[R("h2",{class:"wrap",children:[K(e.operation,e.parentId)," ",O&&x(X,{text:O})]}),x(Kt,{tid:"span-close",small:!0,kind:"quiet",icon:"close",label:"Close the details",onClick:o})]}),R("div",{class:"stack tight",children:[R("div",{class:"row",children:[x(Y,{of:e.status,tid:"span-status"}),n&&x("span",{class:"chip tag","data-testid":"span-critical",children:"critical path"}),x(Kt,{tid:"span-fit",small:!0,onClick:s,children:"Fit span"}),x(Ce,{tid:"span-copy-id",text:e.spanId,label:"Copy span id"})]}),(e.errorType||e.message)&&R("div",{class:"note bad","data-testid":"span-error",children:[e.errorType&&x("strong",{children:x(X,{text:e.errorType})}),e.message&&x(X,{text:e.message})]}),u&&x(Ie,{tid:"span-because",why:String(u.value),by:String(e.attributes.find(c=>c.key==="localpass.approval.decided_by")?.value??"")}),R("dl",{class:"kv num",children:[x("dt",{children:"Began"}),R("dd",{children:[E(e.startMs)," after the trace began"]}),x("dt",{children:"Took"}),R("dd",{"data-testid":"span-took","data-ms":e.durationMs,children:[E(e.durationMs),a!==void 0&&Math.abs(a-e.durationMs)>.001&&", of which "+E(a)+" by itself"]}),x("dt",{children:"Name"}),x("dd",{children:x(X,{text:e.name})}),x("dt",{children:"Kind"}),x("dd",{children:e.kind.toLowerCase()})]}),R("div",{class:"row",children:[l&&x("a",{class:"btn small",href:"/approvals/"+encodeURIComponent(String(l.value)),"data-testid":"span-approval",children:"Open the approval"}),f&&x("a",{class:"btn small",href:"/tools?q="+encodeURIComponent(String(f.value)),"data-testid":"span-tool",children:"Find the tool"}),f&&t.conversationId&&x("a",{class:"btn small",href:"/chat/"+encodeURIComponent(t.conversationId),"data-testid":"span-conversation",children:"Arguments and result in the chat"})]}),m.length>0&&x("h3",{children:"Attributes"}),x(wt,{list:m,tid:"span-attributes"}),e.droppedAttributes?R("p",{class:"hint",children:[e.droppedAttributes," more were left out."]}):null,e.events&&e.events.length>0&&R(lt,{children:[x("h3",{children:"Events"}),x("ol",{class:"stack tight","data-testid":"span-events",children:e.events.map(c=>R("li",{children:[x("span",{class:"num muted",children:E(c.atMs)})," ",x(X,{text:c.name}),c.attributes&&x(wt,{list:c.attributes,tid:"span-event-attributes"})]}))})]}),e.content&&e.content.length>0&&R(lt,{children:[x("h3",{children:"What was said"}),x(wt,{list:e.content,tid:"span-content"})]})]})]})}import{useEffect as Ee,useLayoutEffect as Jt,useRef as Le,useState as Xt}from"./core.js";import{jsx as P,jsxs as Z}from"./core.js";var Gt=10;function Zt({spans:t,rows:e,folded:a,at:n,view:s,all:o,show:l,onView:u,onChoose:f,onFold:m}){let O=Le(null),[c,C]=Xt({top:0,height:600,row:30,wide:1e3}),A=()=>{let p=O.current;p&&C({top:p.scrollTop,height:p.clientHeight,wide:p.clientWidth,row:parseFloat(getComputedStyle(p).getPropertyValue("--span-row"))||30})};Jt(A,[e.length]),Ee(()=>{let p=new ResizeObserver(A);return O.current&&p.observe(O.current),()=>p.disconnect()},[]);let v=c.row;Jt(()=>{let p=O.current;!p||n<0||(n*v<p.scrollTop?p.scrollTop=n*v:(n+1)*v>p.scrollTop+p.clientHeight&&(p.scrollTop=(n+1)*v-p.clientHeight))},[n,v]);let y=Math.max(0,Math.floor(c.top/v)-Gt),I=Math.min(e.length,Math.ceil((c.top+c.height)/v)+Gt),T=p=>e[p]&&f(e[p].span.spanId),B=p=>{let b=e[n],r=b&&a.has(b.span.spanId),i=Math.max(1,Math.floor(c.height/v)-1),k=p.shiftKey&&(p.key==="ArrowLeft"||p.key==="ArrowRight")?{ArrowLeft:l.left,ArrowRight:l.right}:{ArrowDown:()=>T(Math.min(n+1,e.length-1)),ArrowUp:()=>T(Math.max(n-1,0)),PageDown:()=>T(Math.min(n+i,e.length-1)),PageUp:()=>T(Math.max(n-i,0)),Home:()=>T(0),End:()=>T(e.length-1),ArrowLeft:()=>b&&(b.children.length>0&&!r?m(b.span.spanId,!0):b.parent&&f(b.parent.span.spanId)),ArrowRight:()=>b&&b.children.length>0&&(r?m(b.span.spanId,!1):T(n+1)),Enter:()=>n<0&&T(0),"+":l.in,"=":l.in,"-":l.out,0:l.all,f:l.span,Escape:()=>f("")},N=p.ctrlKey||p.metaKey||p.altKey?void 0:k[p.key];N&&(p.preventDefault(),N())},D=qt(s,Math.min(6,Math.max(2,Math.floor(c.wide*.42/80)))),_=s.to-s.from;return Z("div",{class:"bars",children:[P(Ne,{spans:t,view:s,all:o,onView:u}),Z("div",{class:"axisline","aria-hidden":"true",children:[P("span",{}),P("span",{class:"scale",children:D.map(p=>P("i",{class:(p-s.from)/_>.85?"end":void 0,style:{left:(p-s.from)/_*100+"%"},children:Wt(p,_)},p))}),P("span",{class:"used",children:"Tokens"}),P("span",{class:"took",children:"Duration"})]}),P("div",{class:"spans",ref:O,role:"tree","aria-label":"Spans",tabIndex:0,"data-testid":"span-tree","data-from":s.from,"data-to":s.to,"aria-activedescendant":n>=0?"span-"+e[n].span.spanId:void 0,onScroll:A,onKeyDown:B,children:P("div",{role:"presentation",style:{height:e.length*v+"px"},children:e.slice(y,I).map((p,b)=>{let r=y+b,i=p.span,k=a.has(i.spanId),N=p.parent?.children??e.filter(F=>!F.parent),at=zt(i,s),g=i.status==="ERROR",L=z(i);return Z("div",{id:"span-"+i.spanId,role:"treeitem",class:"spanrow"+(r===n?" on":""),"aria-selected":r===n,"aria-level":p.depth+1,"aria-expanded":p.children.length?!k:void 0,"aria-setsize":N.length,"aria-posinset":N.indexOf(p)+1,"data-testid":"span-row","data-id":i.spanId,"data-operation":i.operation,"data-status":i.status,"data-critical":p.critical,style:{top:r*v+"px",height:v+"px"},onClick:()=>(T(r),O.current?.focus({preventScroll:!0})),children:[Z("span",{class:"label",style:{paddingInlineStart:Math.min(p.depth,12)*12+"px"},children:[P("span",{class:"fold"+(p.children.length?"":" none"),"aria-hidden":"true","data-testid":"span-fold","data-id":i.spanId,onClick:F=>(F.stopPropagation(),m(i.spanId,!k)),children:p.children.length?k?"\u25B8":"\u25BE":""}),g&&P("span",{class:"err","aria-hidden":"true",children:"\u2715"}),P("b",{children:K(i.operation,i.parentId)}),P("span",{class:"cut",dir:"auto",children:L})]}),P("span",{class:"lane",children:P("i",{class:"spanbar "+De(i)+(p.critical?" critical":"")+(g?" bad":"")+(i.status==="RUNNING"?" live":""),"data-testid":"span-bar",style:{left:at.left+"%",width:at.width+"%"}})}),P("span",{class:"used num",children:Ae(i)}),Z("span",{class:"took num",children:[E(i.durationMs),Z("span",{class:"vh",children:[", ",i.status.toLowerCase(),p.critical?", on the critical path":""]})]})]},i.spanId)})})})]})}function Ae(t){let e=s=>t.attributes.find(o=>o.key===s)?.value,a=e("gen_ai.usage.input_tokens"),n=e("gen_ai.usage.output_tokens");return t.operation==="chat"&&typeof a=="number"&&typeof n=="number"?a.toLocaleString("en")+" \u2192 "+n.toLocaleString("en"):""}function De(t){return{invoke_agent:"turn",chat:"model",execute_tool:"tool",sandbox:"box",approval:"ask",retrieval:"find",advisor:"find"}[t.operation]??"call"}function Ne({spans:t,view:e,all:a,onView:n}){let[s,o]=Xt(null),l=a.to-a.from,u=t.slice(0,1e3),f=v=>+((v-a.from)/l*1e3).toFixed(2),m=40/Math.max(u.length,8),O=u.map((v,y)=>"M"+f(v.startMs)+" "+((y+.5)*m).toFixed(2)+"h"+Math.max(2,f(v.startMs+v.durationMs)-f(v.startMs))).join(""),c=v=>{let y=v.currentTarget.getBoundingClientRect();return a.from+Math.min(Math.max(v.clientX-y.left,0),y.width)/y.width*l},C=s?Math.min(...s):e.from,A=s?Math.max(...s):e.to;return Z("svg",{class:"minimap",viewBox:"0 0 1000 40",preserveAspectRatio:"none",role:"img","aria-label":"All of the trace; shown are "+E(e.from)+" to "+E(e.to),"data-testid":"trace-minimap",onPointerDown:v=>(v.currentTarget.setPointerCapture(v.pointerId),o([c(v),c(v)])),onPointerMove:v=>s&&o([s[0],c(v)]),onPointerUp:()=>{s&&Math.abs(s[1]-s[0])>l/500?n({from:Math.min(...s),to:Math.max(...s)}):s&&n({from:s[0]-(e.to-e.from)/2,to:s[0]+(e.to-e.from)/2}),o(null)},children:[P("path",{class:"all",d:O,"stroke-width":Math.max(1,m*.6)}),P("rect",{class:"off",x:"0",y:"0",width:Math.max(0,f(C)),height:"40"}),P("rect",{class:"off",x:f(A),y:"0",width:Math.max(0,1e3-f(A)),height:"40"}),P("rect",{class:"window",x:f(C),y:"0.5",width:Math.max(3,f(A)-f(C)),height:"39"})]})}import{Fragment as ct,jsx as h,jsxs as M}from"./core.js";function ee({id:t,back:e}){let{data:a,error:n,reload:s,loading:o}=qe(m=>Be("/api/observe/traces/"+encodeURIComponent(t),m),[t]),l=a?.status==="RUNNING"||a?.spans.some(m=>m.status==="RUNNING");Qt(()=>Ve(["observe"],m=>{(m.type==="resync"||l||m.data?.traceId===a?.traceId)&&s()}),[l,a?.traceId]),Qt(()=>{if(!l)return;let m=setInterval(s,1e3);return()=>clearInterval(m)},[l,t]);let u=n instanceof _e&&n.status===404,f=a?K(a.operation)+(z(a)?" \xB7 "+z(a).slice(0,60):""):"Trace";return h(ze,{title:f,crumbs:[["Observability","/observe/traces"],["Traces",e]],full:!0,own:[{id:"refresh",label:"Read the trace again",keys:"r",run:s},{id:"back",label:"Back to all traces",run:()=>Ue(e)}],children:M("div",{class:"stack","data-testid":"trace-view","data-id":a?.traceId,children:[h("div",{class:"row",children:h("a",{class:"btn small",href:e,"data-testid":"trace-back",children:"All traces"})}),u&&M(Ke,{title:"This trace is not kept",children:[h("p",{children:"Traces live in memory: it made room for newer ones, its conversation was deleted, or the playground was started anew."}),h("a",{class:"btn primary",href:"/observe/traces?win=all","data-testid":"trace-gone-all",children:"Show the traces of this run"})]}),n!==null&&!u&&h(He,{error:n,retry:s}),!a&&n===null&&h(je,{what:"the trace"}),a&&!u&&M(ct,{children:[h(Je,{trace:a,loading:o}),h(Ge,{trace:a})]})]})})}function Je({trace:t,loading:e}){let a=t.tools??[];return M("section",{class:"stack tight","aria-label":"The trace",children:[M("div",{class:"row spread",children:[M("div",{class:"row",children:[h(Y,{of:t.outcome??t.status,tid:"trace-view-status"}),h("strong",{class:"num","data-testid":"trace-view-duration","data-ms":t.durationMs,children:E(t.durationMs)}),h("span",{class:"muted",children:h(We,{at:t.startAt})}),t.errorType&&h("span",{class:"err",children:h(xt,{text:t.errorType})})]}),M("div",{class:"row",children:[t.conversationId&&h("a",{class:"btn small",href:"/chat/"+encodeURIComponent(t.conversationId),"data-testid":"trace-conversation",children:"Open conversation"}),h(te,{tid:"trace-copy-id",text:t.traceId,label:"Copy trace id"}),h(te,{tid:"trace-copy-link",text:location.origin+"/observe/traces?trace="+t.traceId,label:"Copy link"}),h("a",{class:"btn small",href:"/api/observe/traces/"+t.traceId+"?format=otlp",download:"trace-"+t.traceId+".json","data-testid":"trace-export",children:"Export OTLP JSON"})]})]}),M("dl",{class:"facts","aria-busy":e,children:[M("div",{children:[h("dt",{children:"Model"}),h("dd",{children:t.models?.length?t.models.map(n=>M("div",{children:[h(xt,{text:(n.provider?n.provider+" \xB7 ":"")+n.name}),M("span",{class:"hint num",children:[n.calls>1?" \xD7"+n.calls:"",n.firstChunkMs!==void 0?", first word "+E(n.firstChunkMs):""]})]})):"\u2014"})]}),M("div",{children:[h("dt",{children:"Tokens"}),h("dd",{class:"num","data-testid":"trace-view-tokens",children:j(t.tokens)})]}),M("div",{children:[h("dt",{children:"Cost"}),h("dd",{"data-testid":"trace-view-cost",children:tt(t)})]}),M("div",{children:[h("dt",{children:"Tools"}),h("dd",{children:a.length===0?"\u2014":a.map((n,s)=>M(ct,{children:[s>0&&", ",h("a",{href:"/tools?q="+encodeURIComponent(n.name),"data-testid":"trace-tool","data-id":n.name,children:h(xt,{text:n.name})}),n.calls>1?" \xD7"+n.calls:"",n.errors>0&&M("span",{class:"err",children:[" ",n.errors," failed"]})]}))})]}),M("div",{children:[h("dt",{children:"Spans"}),M("dd",{class:"num",children:[t.spanCount,t.droppedSpans?M("span",{class:"warn","data-testid":"trace-dropped",children:[" ","and ",t.droppedSpans," that found no room"]}):""]})]})]})]})}function Ge({trace:t}){let a=new URLSearchParams($t.value.query).get("span")??"",n=g=>{let L=new URLSearchParams($t.value.query);g?L.set("span",g):L.delete("span"),Fe("?"+L.toString())},[s,o]=rt(new Set),[l,u]=rt(""),[f,m]=rt(""),[O,c]=rt(null),[C,A]=rt(Number(Yt.read("lp-trace-split"))||420),v=dt(()=>_t(t.spans),[t]),y=dt(()=>Vt(t.spans),[t]),I=O?nt(O,y):y,T=Number(f)||0,B=g=>g.durationMs>=T&&(l===""||(g.name+" "+g.spanId+" "+(g.errorType??"")+" "+g.attributes.map(L=>L.value).join(" ")).toLowerCase().includes(l.toLowerCase())),D=dt(()=>Bt(v,s,B),[v,s,l,T]),_=dt(()=>l||T?t.spans.filter(B).length:0,[t,l,T]),p=D.findIndex(g=>g.span.spanId===a),b=t.spans.find(g=>g.spanId===a),r=b&&b.startMs+b.durationMs>=I.from&&b.startMs<=I.to?Math.min(Math.max(b.startMs,I.from),I.to):(I.from+I.to)/2,i={in:()=>c(gt(I,2,r,y)),out:()=>c(gt(I,.5,r,y)),left:()=>c(bt(I,-.25,y)),right:()=>c(bt(I,.25,y)),all:()=>c(null),span:()=>b&&c(Ft(b,y))},k=t.spans.filter(g=>t.spans.some(L=>L.parentId===g.spanId)),N=g=>{let L=Math.round(Math.min(Math.max(g,280),900));A(L),Yt.write("lp-trace-split",String(L))},at=I.to-I.from<y.to-y.from;return M(ct,{children:[M("div",{class:"row",role:"toolbar","aria-label":"Waterfall",children:[M("label",{class:"field inline",children:[h("span",{class:"label",children:"Find in spans"}),h("input",{class:"input",type:"search","data-filter":!0,"data-testid":"span-search",value:l,autocomplete:"off",spellcheck:!1,onInput:g=>u(g.currentTarget.value),onKeyDown:g=>g.key==="Escape"&&u("")})]}),M("label",{class:"field inline",children:[h("span",{class:"label",children:"Min. duration (ms)"}),h("input",{class:"input short",inputMode:"decimal","data-testid":"span-min",value:f,autocomplete:"off",onInput:g=>m(g.currentTarget.value)})]}),h(Q,{tid:"span-fold-all",small:!0,onClick:()=>o(new Set(s.size?[]:k.map(g=>g.spanId))),children:s.size?"Expand all":"Collapse all"}),M("span",{class:"row nowrap",role:"group","aria-label":"Zoom",children:[h(Q,{tid:"zoom-in",small:!0,label:"Zoom in",onClick:i.in,children:"+"}),h(Q,{tid:"zoom-out",small:!0,label:"Zoom out",disabled:!at,onClick:i.out,children:"\u2212"}),h(Q,{tid:"zoom-left",small:!0,label:"Earlier",disabled:I.from<=y.from,onClick:i.left,children:"\u2190"}),h(Q,{tid:"zoom-right",small:!0,label:"Later",disabled:I.to>=y.to,onClick:i.right,children:"\u2192"}),h(Q,{tid:"zoom-span",small:!0,disabled:!b,onClick:i.span,children:"Fit span"}),h(Q,{tid:"zoom-all",small:!0,disabled:!at,onClick:i.all,children:"Fit all"})]}),h("span",{class:"hint num","data-testid":"span-count",role:"status",children:l||T?_+" of "+t.spans.length+" spans match":t.spans.length+(t.spans.length===1?" span":" spans")})]}),M("p",{class:"vh",children:["The trace took ",E(t.durationMs),". On the critical path:"," ",D.filter(g=>g.critical).slice(0,12).map(g=>g.span.name+" "+E(g.span.durationMs)).join(", "),"."]}),M("div",{class:"waterfall"+(b?" chosen":""),style:{"--side":C+"px"},children:[h(Zt,{spans:t.spans,rows:D,folded:s,at:p,view:I,all:y,show:i,onView:c,onChoose:n,onFold:(g,L)=>o(F=>{let $=new Set(F);return L?$.add(g):$.delete(g),$})}),b&&M(ct,{children:[h("div",{class:"splitter",role:"separator","aria-orientation":"vertical","aria-label":"Width of the details","aria-valuenow":C,"aria-valuemin":280,"aria-valuemax":900,tabIndex:0,"data-testid":"span-split",onKeyDown:g=>(g.key==="ArrowLeft"||g.key==="ArrowRight")&&(g.preventDefault(),N(C+(g.key==="ArrowLeft"?24:-24))),onPointerDown:g=>{let L=g.clientX,F=g.currentTarget;F.setPointerCapture(g.pointerId);let $=de=>N(C+L-de.clientX);F.addEventListener("pointermove",$),F.addEventListener("pointerup",()=>F.removeEventListener("pointermove",$),{once:!0})}}),h(Ht,{trace:t,span:b,selfMs:D[p]?.selfMs,critical:D[p]?.critical??!1,onFit:i.span,onClose:()=>n("")})]})]}),h("p",{class:"hint",children:"A bar with an edge lies on the critical path: the trace would have been shorter without it. Keys in the waterfall: arrows move and fold, + and \u2212 zoom, Shift with arrows moves the view, 0 fits all, f fits the span."})]})}import{adopt as sa}from"./core.js";var ae=`.tracefilters {
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
.pricerow {
  display: grid;
  grid-template-columns:
    minmax(140px, 2fr) minmax(90px, 1fr) repeat(3, minmax(76px, 0.8fr)) minmax(104px, 1fr) minmax(140px, 2fr)
    auto;
  gap: 8px;
  align-items: start;
}
.pricerow > .btn {
  margin-block-start: 22px;
}
@media (max-width: 1099px) {
  .pricerow {
    grid-template-columns: repeat(auto-fit, minmax(128px, 1fr));
  }
}
`;import{Fragment as oe,jsx as d,jsxs as S}from"./core.js";sa(ae);var ut=[["5m","5 min"],["10m","10 min"],["20m","20 min"],["30m","30 min"],["1h","1 h"],["3h","3 h"],["all","This run"]],yt=100,oa=matchMedia("(max-width: 719px)").matches,ia=[["","Any status"],["running","Running"],["ok","Ok"],["error","Error"],["cancelled","Cancelled"],["blocked","Blocked"],["paused","Paused"],["incomplete","Incomplete"]],la=["win","from","to","model","tool","server","status","conv","min","q"];function et(){let t=new URLSearchParams(St.value.query),e={};for(let a of la)t.get(a)&&(e[a]=t.get(a));return!e.win&&!e.from&&!e.to&&(e.win="30m"),e}function bn({args:t}){let e=t[0]??"";mt(()=>{e===""&&Qe("/observe/traces"+St.value.query,!0)},[e]);let a=new URLSearchParams(St.value.query).get("trace"),n=ie(a);return mt(()=>{n.current!==a&&document.querySelector("h1")?.focus({preventScroll:!0}),n.current=a},[a]),e==="prices"?d(Nt,{}):e!==""&&e!=="traces"?d(le,{title:"Observability",children:d(Mt,{title:"There is no such page here",children:d("a",{class:"btn primary",href:"/observe/traces","data-testid":"observe-to-traces",children:"Open the traces"})})}):a?d(ee,{id:a,back:"/observe/traces"+H(et())}):d(da,{})}function da(){let t=et(),[e,a]=ot([]),[n,s]=ot(t.q??""),[o,l]=ot(t.min??""),u=ne(n,200),f=ne(o,300),m=r=>{let i={...et(),...r};r.win?(delete i.from,delete i.to):(r.from||r.to)&&delete i.win,a([]),kt(H(i))};mt(()=>{u!==(et().q??"")&&m({q:u})},[u]),mt(()=>{f!==(et().min??"")&&m({min:f})},[f]);let O=H(t),{data:c,error:C,loading:A,reload:v}=$e(r=>Ze("/api/observe/traces"+H({...t,limit:yt,cursor:e[e.length-1]}),r),[O,e],["observe"]),y=r=>{let i=ut.findIndex(([k])=>k===et().win);i>=0&&ut[i+r]&&m({win:ut[i+r][0]})},I=()=>{let r=new Date(c?.to??Date.now()),i=c?.from?new Date(c.from):new Date(Math.min(...(c?.items??[]).map(k=>Date.parse(k.startAt)),r.getTime()-6e4));return{...t,win:"",from:t.from??i.toISOString(),to:t.to??r.toISOString()}},T=async()=>{let r=I();kt(H(r));try{await navigator.clipboard.writeText(location.origin+"/observe/traces"+H(r)),re("Copied a link to just this range.")}catch{re("The address now holds just this range: copy it from there.")}},B=["model","tool","server","status","conv","min","q"].filter(r=>t[r]).length,D=()=>(s(""),l(""),m({model:"",tool:"",server:"",status:"",conv:"",min:"",q:""})),_=(r,i,k)=>[["",i],...[...new Set([...r??[],...k?[k]:[]])].map(N=>[N,N])],p=c?.totals.longestMs??0,b=c?.totals;return d(le,{title:"Traces",crumbs:[["Observability","/observe/traces"]],own:[{id:"refresh",label:"Read the traces again",keys:"r",run:v},{id:"narrower",label:"Narrower window",keys:"[",run:()=>y(-1)},{id:"wider",label:"Wider window",keys:"]",run:()=>y(1)},{id:"absolute",label:"Make the range absolute",keys:"t a",run:()=>kt(H(I()))},{id:"share",label:"Copy a link to this range",run:()=>{T()}}],children:S("div",{class:"stack","data-testid":"observe-traces",children:[S("div",{class:"row spread",children:[t.win?d(na,{tid:"trace-window",label:"Window",value:t.win,options:ut,onChange:r=>m({win:r})}):S("div",{class:"row","data-testid":"trace-range",children:[S("span",{class:"chip tag",children:[t.from?new Date(t.from).toLocaleString():"The beginning"," to"," ",t.to?new Date(t.to).toLocaleString():"now"]}),d(q,{tid:"trace-range-live",small:!0,onClick:()=>m({win:"30m"}),children:"Follow the last 30 min"})]}),S("span",{class:"row",children:[d(ca,{state:t,set:m}),d(q,{tid:"trace-refresh",small:!0,busy:A&&c!==void 0,onClick:v,children:"Refresh"}),d(q,{tid:"trace-share",small:!0,icon:"link",onClick:()=>{T()},children:"Share link"}),d("a",{class:"btn small",href:"/observe/prices","data-testid":"trace-prices",children:"Prices"})]})]}),S("details",{class:"morefilters",open:!oa||void 0,children:[S("summary",{"data-testid":"trace-filters",children:["Filters",B?" ("+B+")":""]}),S("div",{class:"tracefilters",children:[S("label",{class:"field search",children:[d("span",{class:"label",children:"Name or id"}),d("input",{class:"input",type:"search","data-filter":!0,"data-testid":"trace-search",value:n,autocomplete:"off",spellcheck:!1,onInput:r=>s(r.currentTarget.value),onKeyDown:r=>r.key==="Escape"&&s("")})]}),d(pt,{tid:"trace-filter-model",label:"Model",value:t.model??"",options:_(c?.models,"Any model",t.model),onChange:r=>m({model:r})}),d(pt,{tid:"trace-filter-tool",label:"Tool",value:t.tool??"",options:_(c?.tools,"Any tool",t.tool),onChange:r=>m({tool:r})}),d(pt,{tid:"trace-filter-server",label:"Server",value:t.server??"",options:_(c?.servers,"Any server",t.server),onChange:r=>m({server:r})}),d(pt,{tid:"trace-filter-status",label:"Status",value:t.status??"",options:ia,onChange:r=>m({status:r})}),d(ra,{tid:"trace-filter-min",label:"Min. duration (ms)",value:o,onInput:l})]})]}),t.conv&&S("div",{class:"row",children:[S("span",{class:"chip tag",children:["Conversation ",d(st,{text:t.conv})]}),d(q,{tid:"trace-filter-conv-clear",small:!0,kind:"quiet",onClick:()=>m({conv:""}),children:"Show all conversations"})]}),C!==null&&d(aa,{error:C,retry:v}),!c&&C===null&&d(ea,{what:"traces"}),c&&b&&S("p",{class:"num muted","data-testid":"trace-totals",children:[b.traces," ",b.traces===1?"trace":"traces"," \xB7 ",b.errors," with an error",b.running?" \xB7 "+b.running+" running":""," \xB7 ",b.toolCalls," tool"," ",b.toolCalls===1?"call":"calls"," \xB7 tokens ",j(b.tokens),b.costMicroUSD!==void 0?" \xB7 "+W(b.costMicroUSD):"",b.unpricedTokens?" \xB7 "+ta(b.unpricedTokens,"token")+" unpriced":""]}),c&&c.items.length===0&&(B?d(Mt,{title:"No trace matches "+B+(B===1?" filter":" filters"),children:d(q,{tid:"trace-clear",kind:"primary",onClick:D,children:"Clear filters"})}):S(Mt,{title:"Nothing was traced in this window",children:[d("p",{children:"Each chat turn, test run and call by an MCP client is recorded here while the playground runs. Nothing is sent anywhere."}),d("a",{class:"btn primary",href:"/chat","data-testid":"trace-empty-chat",children:"Start a chat"}),t.win!=="all"&&d(q,{tid:"trace-empty-all",onClick:()=>m({win:"all"}),children:"Show all of this run"})]})),c&&c.items.length>0&&S("table",{class:"cards traces"+(C!==null?" stale":""),"data-testid":"trace-list",children:[d("thead",{children:S("tr",{children:[d("th",{scope:"col",children:"Started"}),d("th",{scope:"col",children:"What"}),d("th",{scope:"col",children:"Model"}),d("th",{scope:"col",children:"Duration"}),d("th",{scope:"col",children:"Tokens"}),d("th",{scope:"col",children:"Cost"}),d("th",{scope:"col",children:"Status"})]})}),d("tbody",{children:c.items.map(r=>d(pa,{trace:r,longest:p,state:t},r.traceId))})]}),c&&(c.nextCursor||e.length>0)&&S("nav",{class:"row","aria-label":"Pages of traces",children:[d(q,{tid:"trace-newer",disabled:e.length===0,onClick:()=>a(e.slice(0,-1)),children:"Newer"}),d(q,{tid:"trace-older",disabled:!c.nextCursor,onClick:()=>a([...e,c.nextCursor]),children:"Older"}),S("span",{class:"muted num","data-testid":"trace-place",children:[e.length*yt+1," to ",e.length*yt+c.items.length," of"," ",c.totals.traces]})]})]})})}function se(t){let e=t?new Date(t):new Date(NaN);return isNaN(e.getTime())?"":new Date(e.getTime()-e.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function ca({state:t,set:e}){let a=ie(null),[n,s]=ot(se(t.from)),[o,l]=ot(se(t.to)),u=n!==""&&o!==""&&n>o;return S("details",{class:"pick",ref:a,onKeyDown:m=>m.key==="Escape"&&a.current&&(a.current.open=!1),children:[d("summary",{class:"btn small","data-testid":"trace-range-open",children:"Custom range"}),d("div",{children:S("form",{class:"stack tight",onSubmit:m=>{m.preventDefault(),!(u||n===""&&o==="")&&(e({from:n?new Date(n).toISOString():"",to:o?new Date(o).toISOString():""}),a.current&&(a.current.open=!1))},children:[S("label",{class:"field",children:[d("span",{class:"label",children:"From"}),d("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-from",value:n,onInput:m=>s(m.currentTarget.value)})]}),S("label",{class:"field",children:[d("span",{class:"label",children:"To, or empty for now"}),d("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-to",value:o,onInput:m=>l(m.currentTarget.value)})]}),u&&d("p",{class:"err",role:"alert",children:"The end lies before the beginning. Choose a later end."}),d(q,{tid:"trace-range-show",kind:"primary",type:"submit",disabled:u||n===""&&o==="",children:"Show range"})]})})]})}function pa({trace:t,longest:e,state:a}){let n=t.models??[],s=z(t),o=t.tools??[];return S("tr",{"data-testid":"trace-row","data-id":t.traceId,"data-status":t.outcome??t.status,children:[d("td",{"data-label":"Started",children:d(Ye,{at:t.startAt})}),S("td",{children:[S("a",{href:"/observe/traces"+H({...a,trace:t.traceId}),"data-row":!0,"data-testid":"trace-open","data-id":t.traceId,children:[K(t.operation),s&&S(oe,{children:[" ","\xB7 ",d(st,{text:s})]})]}),S("div",{class:"hint num",children:[t.spanCount," ",t.spanCount===1?"span":"spans",o.length>0&&S(oe,{children:[" ","\xB7"," ",d(st,{text:o.slice(0,4).map(l=>l.name+(l.calls>1?" \xD7"+l.calls:"")).join(", ")+(o.length>4?", and "+(o.length-4)+" more":"")})]}),t.toolErrors>0&&S("span",{class:"err",children:[" ","\xB7 ",t.toolErrors," tool ",t.toolErrors===1?"error":"errors"]})]})]}),d("td",{"data-label":"Model",children:n.length===0?d("span",{class:"muted",children:"\u2014"}):d(st,{text:n[0].name+(n.length>1?" and "+(n.length-1)+" more":"")})}),S("td",{"data-label":"Duration",class:"num","data-testid":"trace-duration","data-ms":t.durationMs,children:[E(t.durationMs),d("span",{class:"spark","aria-hidden":"true",children:d("i",{style:{width:Math.max(1,e>0?t.durationMs/e*100:0)+"%"}})})]}),d("td",{"data-label":"Tokens",class:"num",children:j(t.tokens)}),d("td",{"data-label":"Cost","data-testid":"trace-cost",children:tt(t)}),S("td",{"data-label":"Status",children:[d(Y,{of:t.outcome??t.status,tid:"trace-status"}),t.errorType&&t.outcome!=="cancelled"&&d("div",{class:"hint",children:d(st,{text:t.errorType})})]})]})}export{bn as Observe};

import{useEffect as me,useRef as it,useState as oe}from"./core.js";import{get as Zt,query as H}from"./core.js";import{go as Qt,place as Se,setQuery as ye}from"./core.js";import{Page as lt}from"./core.js";import{useData as $t,useLater as nt}from"./core.js";import{Foreign as se}from"./core.js";import{Ago as Yt,Button as q,counted as ea,Empty as Me,Loading as ta,ProblemView as aa,Segments as na,Select as pe,Text as ra,toast as rt}from"./core.js";var W=e=>(e/1e6).toLocaleString("en",{style:"currency",currency:"USD",maximumFractionDigits:6});import{useEffect as ht,useRef as ft,useState as ie}from"./core.js";import{ApiError as gt,post as bt,send as Ie}from"./core.js";import{Page as vt}from"./core.js";import{useData as wt,useLater as xt}from"./core.js";import{Foreign as Ce}from"./core.js";import{Button as J,counted as Ae,Empty as yt,Loading as kt,ProblemView as Te,Text as G,toast as Re}from"./core.js";function Oe(e,t,a){let n=URL.createObjectURL(new Blob([e],{type:a})),s=document.createElement("a");s.href=n,s.download=t,s.click(),setTimeout(()=>URL.revokeObjectURL(n),1e3)}import{jsx as ut,jsxs as mt}from"./core.js";var ct={invoke_agent:"Chat turn","tools/call":"MCP call",local_pass:"Test run",execute_tool:"Tool",chat:"Model call",approval:"Approval",sandbox:"Sandbox",advisor:"Advisor",retrieval:"Retrieval"},K=(e,t)=>(e==="tools/call"&&t?"Hub":ct[e])??(e.includes("/")?"MCP "+e:e||"Operation"),z=e=>e.name.startsWith(e.operation+" ")?e.name.slice(e.operation.length+1):e.name===e.operation?"":e.name,pt={RUNNING:["running","mid","\u2026"],ok:["ok","good","\u2713"],OK:["ok","good","\u2713"],error:["error","bad","\u2715"],ERROR:["error","bad","\u2715"],cancelled:["cancelled","off","\u2013"],CANCELLED:["cancelled","off","\u2013"],blocked:["blocked","mid","!"],paused:["paused","mid","\u2016"],incomplete:["incomplete","mid","?"],INCOMPLETE:["incomplete","mid","?"]};function Y({of:e,tid:t}){let[a,n,s]=pt[e]??[e,"off","?"];return mt("span",{class:"state "+n,"data-testid":t,"data-status":e,children:[ut("span",{class:"sign","aria-hidden":"true",children:s}),a]})}function ee(e){switch(e.cost){case void 0:return"\u2014";case"priced":return W(e.costMicroUSD??0);case"partly":return e.costMicroUSD===void 0?"in part unpriced":W(e.costMicroUSD)+", in part unpriced";case"unpriced":return"unpriced"}return!e.models||e.models.every(t=>t.provider==="demo")?"no cost":e.models.every(t=>t.provider==="ollama"||t.provider==="demo")?"local, free":"free"}var j=e=>e?e.input.toLocaleString("en")+" in, "+e.output.toLocaleString("en")+" out"+(e.estimated?" (estimated)":""):"\u2014";import{jsx as w,jsxs as _}from"./core.js";var he="/api/observe/pricing",Pe=e=>e.tokens?e.tokens.input+e.tokens.output:0,De=e=>e.cost==="unpriced"||e.cost==="partly",Ee=e=>e.reduce((t,a)=>t+(a.costMicroUSD??0),0),Le=e=>e.some(t=>t.costMicroUSD!==void 0);function St(e,t){let a=t.filter(De).length,n=a?" "+Ae(a,"model")+" would have no price.":"";if(!Le(t))return"With these prices, no cost of what is recorded is known."+n;let s=Le(e)?" in place of "+W(Ee(e))+".":". Without them, no cost is known.";return"With these prices, what is recorded costs "+W(Ee(t))+s+n}var fe=e=>Object.fromEntries(Object.entries(e).filter(([t,a])=>a!==""||["match","source","input","output"].includes(t)));function Ne(){let{data:e,error:t,reload:a}=wt(async r=>{let i=await Ie("GET",he,void 0,{signal:r});return{...i.data,etag:i.etag}},[]),[n,s]=ie(null),[o,l]=ie(null),[u,f]=ie(!1),m=ft(null),O=n??e?.prices??[],c=n!==null&&JSON.stringify(n.map(fe))!==JSON.stringify(e?.prices),C=xt(JSON.stringify({prices:O.map(fe)}),300),[A,v]=ie(null);ht(()=>{if(!c)return v(null);let r=new AbortController;return bt(he+"/preview",void 0,{raw:C,signal:r.signal}).then(i=>r.signal.aborted||(v(i.models),l(null)),i=>r.signal.aborted||(v(null),l(i))),()=>r.abort()},[C,c]);let k=(r,i)=>s(O.map((y,N)=>N===r?{...y,...i}:y)),I=r=>s([...O,{match:r?.name??"",provider:r?.provider??"",input:"",output:"",source:""}]),T=async()=>{f(!0);try{await Ie("PUT",he,{prices:O.map(fe)},{ifMatch:e?.etag??""}),s(null),l(null),Re("The prices are saved. What was recorded is computed anew."),a()}catch(r){l(r)}f(!1)},V=async r=>{if(r)try{let y=JSON.parse(await r.text()).prices;if(!Array.isArray(y))throw new Error("There is no list named prices in it.");s([...O,...y])}catch(i){Re(r.name+" is not a file of prices. "+(i instanceof SyntaxError?"It is not JSON.":i.message),void 0,!0)}},D=e?.models??[],B=(A??D).filter(De),p=D.reduce((r,i)=>r+Pe(i),0),b=o instanceof gt&&o.code==="stale_version";return w(vt,{title:"Prices",crumbs:[["Observability","/observe/traces"]],children:_("div",{class:"stack","data-testid":"prices",children:[w("p",{class:"muted",children:"What models cost, in US dollars for a million tokens. localpass contains no prices: copy them from the page of your provider, and write down where you found them."}),t!==null&&w(Te,{error:t,retry:a}),!e&&t===null&&w(kt,{what:"prices"}),e&&B.length>0&&_("div",{class:"note","data-testid":"prices-missing",children:[_("strong",{children:[Ae(B.length,"model")," without a price",p>0?", "+Math.round(100*B.reduce((r,i)=>r+Pe(i),0)/p)+" % of the tokens":""]}),B.map(r=>_("div",{class:"row spread",children:[_("span",{children:[w(Ce,{text:(r.provider?r.provider+"/":"")+r.name})," ",w("span",{class:"muted num",children:j(r.tokens)})]}),w(J,{tid:"price-add-model",dataId:r.name,small:!0,onClick:()=>I(r),children:"Enter its price"})]},r.provider+"/"+r.name))]}),e&&O.length===0&&w(yt,{title:"There are no prices yet",children:w("p",{children:"Costs are shown as unpriced, never as zero, until a price is entered."})}),O.map((r,i)=>_("fieldset",{class:"card pricerow","data-testid":"price-row","data-id":r.match,children:[w("legend",{class:"vh",children:r.match||"A new price"}),w(G,{tid:"price-match",label:"Model",value:r.match,hint:"A star at the end matches the rest.",onInput:y=>k(i,{match:y})}),w(G,{tid:"price-provider",label:"Provider",value:r.provider??"",hint:"Empty: any.",onInput:y=>k(i,{provider:y})}),w(G,{tid:"price-input",label:"Input",value:r.input,onInput:y=>k(i,{input:y})}),w(G,{tid:"price-cached",label:"Cached input",value:r.cacheRead??"",hint:"Empty: as input.",onInput:y=>k(i,{cacheRead:y})}),w(G,{tid:"price-output",label:"Output",value:r.output,onInput:y=>k(i,{output:y})}),w(G,{tid:"price-from",label:"Valid from",value:r.validFrom??"",placeholder:"2026-11-01",hint:"Empty: always.",onInput:y=>k(i,{validFrom:y})}),w(G,{tid:"price-source",label:"Source",value:r.source,hint:"Where you found it.",onInput:y=>k(i,{source:y})}),w(J,{tid:"price-remove",kind:"quiet",label:"Remove the price of "+(r.match||"the new model"),onClick:()=>s(O.filter((y,N)=>N!==i)),children:"Remove"})]},i)),o!==null&&_("div",{"data-testid":"prices-problem",children:[w(Te,{error:o}),b&&w(J,{tid:"prices-reread",onClick:()=>(s(null),l(null),a()),children:"Read the saved prices"})]}),A&&w("p",{class:"num",role:"status","data-testid":"prices-preview",children:St(D,A)}),e&&_("div",{class:"row",children:[w(J,{tid:"prices-save",kind:"primary",busy:u,disabled:!c,onClick:()=>{T()},children:"Save the prices"}),w(J,{tid:"price-add",icon:"plus",onClick:()=>I(),children:"Add a price"}),w(J,{tid:"prices-import",onClick:()=>m.current?.click(),children:"Import a file"}),w("input",{ref:m,type:"file",accept:".json,application/json",hidden:!0,"data-testid":"prices-file",onChange:r=>{V(r.currentTarget.files?.[0]),r.currentTarget.value=""}}),e.prices.length>0&&w(J,{tid:"prices-export",onClick:()=>Oe(JSON.stringify({prices:e.prices},null,2)+`
`,"prices.json","application/json"),children:"Export"})]}),e&&D.length>0&&_("table",{class:"cards","data-testid":"prices-models",children:[w("caption",{class:"vh",children:"The use of each model in what is recorded"}),w("thead",{children:_("tr",{children:[w("th",{scope:"col",children:"Model"}),w("th",{scope:"col",children:"Calls"}),w("th",{scope:"col",children:"Tokens"}),w("th",{scope:"col",children:"Cost"})]})}),w("tbody",{children:D.map(r=>_("tr",{"data-testid":"prices-model","data-id":r.name,children:[w("td",{"data-label":"Model",children:w(Ce,{text:(r.provider?r.provider+"/":"")+r.name})}),w("td",{"data-label":"Calls",class:"num",children:r.calls.toLocaleString("en")}),w("td",{"data-label":"Tokens",class:"num",children:j(r.tokens)}),w("td",{"data-label":"Cost",class:"num","data-testid":"prices-cost",children:ee({...r,models:[r]})})]},r.provider+"/"+r.name))})]})]})})}import{useEffect as Qe,useMemo as de,useState as re}from"./core.js";import{ApiError as Bt,get as Vt}from"./core.js";import{on as _t}from"./core.js";import{go as Ut,place as $e,setQuery as Ft}from"./core.js";import{Page as zt}from"./core.js";import{kept as Ye,useData as qt}from"./core.js";import{Foreign as xe}from"./core.js";import{Ago as Wt,Button as Q,Copy as et,Empty as Kt,Loading as jt,ProblemView as Ht}from"./core.js";import{Because as It}from"./core.js";import{Foreign as X}from"./core.js";import{Button as Ke,Copy as Ct}from"./core.js";var U=e=>e.startMs+e.durationMs;function Be(e){let t=new Map;for(let o of e)t.set(o.spanId,{span:o,depth:0,children:[],parent:null,critical:!1,selfMs:o.durationMs});let a=[];for(let o of t.values()){let l=o.span.parentId?t.get(o.span.parentId):void 0,u=!1;for(let f=l;f;f=f.parent)u||=f===o;!l||u?a.push(o):(o.parent=l,l.children.push(o))}let n=(o,l)=>o.span.startMs-l.span.startMs||U(l.span)-U(o.span);a.sort(n);let s=[...a];for(let o=s.pop();o;o=s.pop()){o.children.sort(n),o.selfMs=Mt(o);for(let l of o.children)l.depth=o.depth+1,s.push(l)}return a[0]&&Ot(a[0]),a}function Mt(e){let t=0,a=e.span.startMs;for(let{span:n}of e.children){let s=Math.max(n.startMs,a),o=Math.min(U(n),U(e.span));o>s&&(t+=o-s,a=o)}return Math.max(0,e.span.durationMs-t)}function Ot(e){let t=[e];for(let a=t.pop();a;a=t.pop()){a.critical=!0;let n=U(a.span);for(let s of[...a.children].sort((o,l)=>U(l.span)-U(o.span)))U(s.span)>n||s.span.durationMs<=0||(t.push(s),n=s.span.startMs)}}function Ve(e,t,a){let n=[],s=new Set,o=[],l=[...e].reverse();for(let u=l.pop();u;u=l.pop())o.push(u),l.push(...[...u.children].reverse());for(let u of o)if(a(u.span))for(let f=u;f&&!s.has(f);f=f.parent)s.add(f);for(let u of o){let f=!s.has(u);for(let m=u.parent;m&&!f;m=m.parent)f=t.has(m.span.spanId);f||n.push(u)}return n}function _e(e){let t=1/0,a=-1/0;for(let n of e)t=Math.min(t,n.startMs),a=Math.max(a,U(n));return a>t||(a=(Number.isFinite(t)?t:t=0)+1),{from:t,to:a}}var Ue=.001;function ne(e,t){let a=Math.min(Math.max(e.to-e.from,Ue),t.to-t.from),n=Math.min(Math.max(e.from,t.from),t.to-a);return{from:n,to:n+a}}function ge(e,t,a,n){let s=(e.to-e.from)/t,o=(a-e.from)/(e.to-e.from);return ne({from:a-s*o,to:a+s*(1-o)},n)}function be(e,t,a){let n=(e.to-e.from)*t;return ne({from:e.from+n,to:e.to+n},a)}function Fe(e,t){let a=Math.max(e.durationMs*.1,Ue/2);return ne({from:e.startMs-a,to:U(e)+a},t)}function ze(e,t){let a=t.to-t.from,n=o=>Math.min(Math.max((o-t.from)/a*100,-5),105),s=n(e.startMs);return{left:s,width:n(U(e))-s}}function qe(e,t=6){let a=(e.to-e.from)/t,n=Math.pow(10,Math.floor(Math.log10(a))),o=(a>1e3?[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,18e3,36e3].map(u=>u*1e3):[1,2,5,10].map(u=>u*n)).find(u=>u>=a)??a,l=[];for(let u=Math.ceil(e.from/o);u*o<=e.to&&l.length<20;u++)l.push(u*o);return l}function E(e){let t=Math.abs(e),a=e<0?"\u2212":"";if(t===0)return"0 ms";if(t<1)return a+(t<.001?"<1":Math.round(t*1e3))+" \xB5s";if(t<10)return a+ +t.toFixed(2)+" ms";if(t<1e3)return a+Math.round(t)+" ms";if(t<6e4)return a+ +(t/1e3).toFixed(2)+" s";let n=t<36e5?[Math.round(t/1e3),60,"min","s"]:[Math.round(t/6e4),60,"h","min"],[s,o,l,u]=n;return a+Math.floor(s/o)+" "+l+(s%o?" "+s%o+" "+u:"")}function We(e,t){if(t>=1e3)return E(Math.round(e));let a=Math.min(3,Math.max(0,2-Math.floor(Math.log10(t))));return e.toFixed(a)+" ms"}import{Fragment as le,jsx as x,jsxs as R}from"./core.js";var ve=["gen_ai.provider.name","gen_ai.request.model","gen_ai.usage.input_tokens","gen_ai.usage.output_tokens","gen_ai.response.time_to_first_chunk","gen_ai.response.finish_reasons","gen_ai.tool.name","localpass.mcp.server","localpass.sandbox.level","localpass.approval.outcome","localpass.outcome","mcp.method.name","network.transport","error.type"],Tt=["gen_ai.response.time_to_first_chunk"],je=e=>ve.includes(e.key)?ve.indexOf(e.key):ve.length,Rt=/^(data:[^,]{0,80};base64,)?[A-Za-z0-9+/]{200,}={0,2}$/;function Pt({of:e}){let t=Array.isArray(e.value)?e.value.map(String).join(", "):String(e.value);return Rt.test(t)?R("span",{class:"muted",children:[t.length.toLocaleString("en")," characters of encoded data"]}):t.length>400?R("details",{children:[R("summary",{"data-testid":"span-long",children:[t.length.toLocaleString("en")," characters"]}),x("pre",{class:"code",tabIndex:0,children:x(X,{text:t})})]}):x(X,{text:Tt.includes(e.key)&&typeof e.value=="number"?E(e.value*1e3):t})}function we({list:e,tid:t}){return x("dl",{class:"kv attributes","data-testid":t,children:e.map(a=>R(le,{children:[x("dt",{children:x("code",{class:"wrap",children:a.key.split(/(?<=[._])/).map(n=>R(le,{children:[n,x("wbr",{})]}))})}),x("dd",{children:x(Pt,{of:a})})]}))})}function He({trace:e,span:t,selfMs:a,critical:n,onFit:s,onClose:o}){let l=t.attributes.find(c=>c.key==="localpass.approval.request"),u=t.attributes.find(c=>c.key==="localpass.approval.because"),f=t.attributes.find(c=>c.key==="gen_ai.tool.name"),m=[...t.attributes].sort((c,C)=>je(c)-je(C)),O=z(t);return R("section",{class:"spanview","aria-label":"The span","data-testid":"span-view","data-id":t.spanId,children:[R("header",{class:"row spread nowrap",children:[R("h2",{class:"wrap",children:[K(t.operation,t.parentId)," ",O&&x(X,{text:O})]}),x(Ke,{tid:"span-close",small:!0,kind:"quiet",icon:"close",label:"Close the details",onClick:o})]}),R("div",{class:"stack tight",children:[R("div",{class:"row",children:[x(Y,{of:t.status,tid:"span-status"}),n&&x("span",{class:"chip tag","data-testid":"span-critical",children:"critical path"}),x(Ke,{tid:"span-fit",small:!0,onClick:s,children:"Fit span"}),x(Ct,{tid:"span-copy-id",text:t.spanId,label:"Copy span id"})]}),(t.errorType||t.message)&&R("div",{class:"note bad","data-testid":"span-error",children:[t.errorType&&x("strong",{children:x(X,{text:t.errorType})}),t.message&&x(X,{text:t.message})]}),u&&x(It,{tid:"span-because",why:String(u.value),by:String(t.attributes.find(c=>c.key==="localpass.approval.decided_by")?.value??"")}),R("dl",{class:"kv num",children:[x("dt",{children:"Began"}),R("dd",{children:[E(t.startMs)," after the trace began"]}),x("dt",{children:"Took"}),R("dd",{"data-testid":"span-took","data-ms":t.durationMs,children:[E(t.durationMs),a!==void 0&&Math.abs(a-t.durationMs)>.001&&", of which "+E(a)+" by itself"]}),x("dt",{children:"Name"}),x("dd",{children:x(X,{text:t.name})}),x("dt",{children:"Kind"}),x("dd",{children:t.kind.toLowerCase()})]}),R("div",{class:"row",children:[l&&x("a",{class:"btn small",href:"/approvals/"+encodeURIComponent(String(l.value)),"data-testid":"span-approval",children:"Open the approval"}),f&&x("a",{class:"btn small",href:"/tools?q="+encodeURIComponent(String(f.value)),"data-testid":"span-tool",children:"Find the tool"}),f&&e.conversationId&&x("a",{class:"btn small",href:"/chat/"+encodeURIComponent(e.conversationId),"data-testid":"span-conversation",children:"Arguments and result in the chat"})]}),m.length>0&&x("h3",{children:"Attributes"}),x(we,{list:m,tid:"span-attributes"}),t.droppedAttributes?R("p",{class:"hint",children:[t.droppedAttributes," more were left out."]}):null,t.events&&t.events.length>0&&R(le,{children:[x("h3",{children:"Events"}),x("ol",{class:"stack tight","data-testid":"span-events",children:t.events.map(c=>R("li",{children:[x("span",{class:"num muted",children:E(c.atMs)})," ",x(X,{text:c.name}),c.attributes&&x(we,{list:c.attributes,tid:"span-event-attributes"})]}))})]}),t.content&&t.content.length>0&&R(le,{children:[x("h3",{children:"What was said"}),x(we,{list:t.content,tid:"span-content"})]})]})]})}import{useEffect as Et,useLayoutEffect as Je,useRef as Lt,useState as Xe}from"./core.js";import{jsx as P,jsxs as Z}from"./core.js";var Ge=10;function Ze({spans:e,rows:t,folded:a,at:n,view:s,all:o,show:l,onView:u,onChoose:f,onFold:m}){let O=Lt(null),[c,C]=Xe({top:0,height:600,row:30,wide:1e3}),A=()=>{let p=O.current;p&&C({top:p.scrollTop,height:p.clientHeight,wide:p.clientWidth,row:parseFloat(getComputedStyle(p).getPropertyValue("--span-row"))||30})};Je(A,[t.length]),Et(()=>{let p=new ResizeObserver(A);return O.current&&p.observe(O.current),()=>p.disconnect()},[]);let v=c.row;Je(()=>{let p=O.current;!p||n<0||(n*v<p.scrollTop?p.scrollTop=n*v:(n+1)*v>p.scrollTop+p.clientHeight&&(p.scrollTop=(n+1)*v-p.clientHeight))},[n,v]);let k=Math.max(0,Math.floor(c.top/v)-Ge),I=Math.min(t.length,Math.ceil((c.top+c.height)/v)+Ge),T=p=>t[p]&&f(t[p].span.spanId),V=p=>{let b=t[n],r=b&&a.has(b.span.spanId),i=Math.max(1,Math.floor(c.height/v)-1),y=p.shiftKey&&(p.key==="ArrowLeft"||p.key==="ArrowRight")?{ArrowLeft:l.left,ArrowRight:l.right}:{ArrowDown:()=>T(Math.min(n+1,t.length-1)),ArrowUp:()=>T(Math.max(n-1,0)),PageDown:()=>T(Math.min(n+i,t.length-1)),PageUp:()=>T(Math.max(n-i,0)),Home:()=>T(0),End:()=>T(t.length-1),ArrowLeft:()=>b&&(b.children.length>0&&!r?m(b.span.spanId,!0):b.parent&&f(b.parent.span.spanId)),ArrowRight:()=>b&&b.children.length>0&&(r?m(b.span.spanId,!1):T(n+1)),Enter:()=>n<0&&T(0),"+":l.in,"=":l.in,"-":l.out,0:l.all,f:l.span,Escape:()=>f("")},N=p.ctrlKey||p.metaKey||p.altKey?void 0:y[p.key];N&&(p.preventDefault(),N())},D=qe(s,Math.min(6,Math.max(2,Math.floor(c.wide*.42/80)))),B=s.to-s.from;return Z("div",{class:"bars",children:[P(Nt,{spans:e,view:s,all:o,onView:u}),Z("div",{class:"axisline","aria-hidden":"true",children:[P("span",{}),P("span",{class:"scale",children:D.map(p=>P("i",{class:(p-s.from)/B>.85?"end":void 0,style:{left:(p-s.from)/B*100+"%"},children:We(p,B)},p))}),P("span",{class:"used",children:"Tokens"}),P("span",{class:"took",children:"Duration"})]}),P("div",{class:"spans",ref:O,role:"tree","aria-label":"Spans",tabIndex:0,"data-testid":"span-tree","data-from":s.from,"data-to":s.to,"aria-activedescendant":n>=0?"span-"+t[n].span.spanId:void 0,onScroll:A,onKeyDown:V,children:P("div",{role:"presentation",style:{height:t.length*v+"px"},children:t.slice(k,I).map((p,b)=>{let r=k+b,i=p.span,y=a.has(i.spanId),N=p.parent?.children??t.filter(F=>!F.parent),ae=ze(i,s),g=i.status==="ERROR",L=z(i);return Z("div",{id:"span-"+i.spanId,role:"treeitem",class:"spanrow"+(r===n?" on":""),"aria-selected":r===n,"aria-level":p.depth+1,"aria-expanded":p.children.length?!y:void 0,"aria-setsize":N.length,"aria-posinset":N.indexOf(p)+1,"data-testid":"span-row","data-id":i.spanId,"data-operation":i.operation,"data-status":i.status,"data-critical":p.critical,style:{top:r*v+"px",height:v+"px"},onClick:()=>(T(r),O.current?.focus({preventScroll:!0})),children:[Z("span",{class:"label",style:{paddingInlineStart:Math.min(p.depth,12)*12+"px"},children:[P("span",{class:"fold"+(p.children.length?"":" none"),"aria-hidden":"true","data-testid":"span-fold","data-id":i.spanId,onClick:F=>(F.stopPropagation(),m(i.spanId,!y)),children:p.children.length?y?"\u25B8":"\u25BE":""}),g&&P("span",{class:"err","aria-hidden":"true",children:"\u2715"}),P("b",{children:K(i.operation,i.parentId)}),P("span",{class:"cut",dir:"auto",children:L})]}),P("span",{class:"lane",children:P("i",{class:"spanbar "+Dt(i)+(p.critical?" critical":"")+(g?" bad":"")+(i.status==="RUNNING"?" live":""),"data-testid":"span-bar",style:{left:ae.left+"%",width:ae.width+"%"}})}),P("span",{class:"used num",children:At(i)}),Z("span",{class:"took num",children:[E(i.durationMs),Z("span",{class:"vh",children:[", ",i.status.toLowerCase(),p.critical?", on the critical path":""]})]})]},i.spanId)})})})]})}function At(e){let t=s=>e.attributes.find(o=>o.key===s)?.value,a=t("gen_ai.usage.input_tokens"),n=t("gen_ai.usage.output_tokens");return e.operation==="chat"&&typeof a=="number"&&typeof n=="number"?a.toLocaleString("en")+" \u2192 "+n.toLocaleString("en"):""}function Dt(e){return{invoke_agent:"turn",chat:"model",execute_tool:"tool",sandbox:"box",approval:"ask",retrieval:"find",advisor:"find"}[e.operation]??"call"}function Nt({spans:e,view:t,all:a,onView:n}){let[s,o]=Xe(null),l=a.to-a.from,u=e.slice(0,1e3),f=v=>+((v-a.from)/l*1e3).toFixed(2),m=40/Math.max(u.length,8),O=u.map((v,k)=>"M"+f(v.startMs)+" "+((k+.5)*m).toFixed(2)+"h"+Math.max(2,f(v.startMs+v.durationMs)-f(v.startMs))).join(""),c=v=>{let k=v.currentTarget.getBoundingClientRect();return a.from+Math.min(Math.max(v.clientX-k.left,0),k.width)/k.width*l},C=s?Math.min(...s):t.from,A=s?Math.max(...s):t.to;return Z("svg",{class:"minimap",viewBox:"0 0 1000 40",preserveAspectRatio:"none",role:"img","aria-label":"All of the trace; shown are "+E(t.from)+" to "+E(t.to),"data-testid":"trace-minimap",onPointerDown:v=>(v.currentTarget.setPointerCapture(v.pointerId),o([c(v),c(v)])),onPointerMove:v=>s&&o([s[0],c(v)]),onPointerUp:()=>{s&&Math.abs(s[1]-s[0])>l/500?n({from:Math.min(...s),to:Math.max(...s)}):s&&n({from:s[0]-(t.to-t.from)/2,to:s[0]+(t.to-t.from)/2}),o(null)},children:[P("path",{class:"all",d:O,"stroke-width":Math.max(1,m*.6)}),P("rect",{class:"off",x:"0",y:"0",width:Math.max(0,f(C)),height:"40"}),P("rect",{class:"off",x:f(A),y:"0",width:Math.max(0,1e3-f(A)),height:"40"}),P("rect",{class:"window",x:f(C),y:"0.5",width:Math.max(3,f(A)-f(C)),height:"39"})]})}import{Fragment as ce,jsx as h,jsxs as M}from"./core.js";function tt({id:e,back:t}){let{data:a,error:n,reload:s,loading:o}=qt(m=>Vt("/api/observe/traces/"+encodeURIComponent(e),m),[e]),l=a?.status==="RUNNING"||a?.spans.some(m=>m.status==="RUNNING");Qe(()=>_t(["observe"],m=>{(m.type==="resync"||l||m.data?.traceId===a?.traceId)&&s()}),[l,a?.traceId]),Qe(()=>{if(!l)return;let m=setInterval(s,1e3);return()=>clearInterval(m)},[l,e]);let u=n instanceof Bt&&n.status===404,f=a?K(a.operation)+(z(a)?" \xB7 "+z(a).slice(0,60):""):"Trace";return h(zt,{title:f,crumbs:[["Observability","/observe/traces"],["Traces",t]],full:!0,own:[{id:"refresh",label:"Read the trace again",keys:"r",run:s},{id:"back",label:"Back to all traces",run:()=>Ut(t)}],children:M("div",{class:"stack","data-testid":"trace-view","data-id":a?.traceId,children:[h("div",{class:"row",children:h("a",{class:"btn small",href:t,"data-testid":"trace-back",children:"All traces"})}),u&&M(Kt,{title:"This trace is not kept",children:[h("p",{children:"Traces live in memory: it made room for newer ones, its conversation was deleted, or the playground was started anew."}),h("a",{class:"btn primary",href:"/observe/traces?win=all","data-testid":"trace-gone-all",children:"Show the traces of this run"})]}),n!==null&&!u&&h(Ht,{error:n,retry:s}),!a&&n===null&&h(jt,{what:"the trace"}),a&&!u&&M(ce,{children:[h(Jt,{trace:a,loading:o}),h(Gt,{trace:a})]})]})})}function Jt({trace:e,loading:t}){let a=e.tools??[];return M("section",{class:"stack tight","aria-label":"The trace",children:[M("div",{class:"row spread",children:[M("div",{class:"row",children:[h(Y,{of:e.outcome??e.status,tid:"trace-view-status"}),h("strong",{class:"num","data-testid":"trace-view-duration","data-ms":e.durationMs,children:E(e.durationMs)}),h("span",{class:"muted",children:h(Wt,{at:e.startAt})}),e.errorType&&h("span",{class:"err",children:h(xe,{text:e.errorType})})]}),M("div",{class:"row",children:[e.conversationId&&h("a",{class:"btn small",href:"/chat/"+encodeURIComponent(e.conversationId),"data-testid":"trace-conversation",children:"Open conversation"}),h(et,{tid:"trace-copy-id",text:e.traceId,label:"Copy trace id"}),h(et,{tid:"trace-copy-link",text:location.origin+"/observe/traces?trace="+e.traceId,label:"Copy link"}),h("a",{class:"btn small",href:"/api/observe/traces/"+e.traceId+"?format=otlp",download:"trace-"+e.traceId+".json","data-testid":"trace-export",children:"Export OTLP JSON"})]})]}),M("dl",{class:"facts","aria-busy":t,children:[M("div",{children:[h("dt",{children:"Model"}),h("dd",{children:e.models?.length?e.models.map(n=>M("div",{children:[h(xe,{text:(n.provider?n.provider+" \xB7 ":"")+n.name}),M("span",{class:"hint num",children:[n.calls>1?" \xD7"+n.calls:"",n.firstChunkMs!==void 0?", first word "+E(n.firstChunkMs):""]})]})):"\u2014"})]}),M("div",{children:[h("dt",{children:"Tokens"}),h("dd",{class:"num","data-testid":"trace-view-tokens",children:j(e.tokens)})]}),M("div",{children:[h("dt",{children:"Cost"}),h("dd",{"data-testid":"trace-view-cost",children:ee(e)})]}),M("div",{children:[h("dt",{children:"Tools"}),h("dd",{children:a.length===0?"\u2014":a.map((n,s)=>M(ce,{children:[s>0&&", ",h("a",{href:"/tools?q="+encodeURIComponent(n.name),"data-testid":"trace-tool","data-id":n.name,children:h(xe,{text:n.name})}),n.calls>1?" \xD7"+n.calls:"",n.errors>0&&M("span",{class:"err",children:[" ",n.errors," failed"]})]}))})]}),M("div",{children:[h("dt",{children:"Spans"}),M("dd",{class:"num",children:[e.spanCount,e.droppedSpans?M("span",{class:"warn","data-testid":"trace-dropped",children:[" ","and ",e.droppedSpans," that found no room"]}):""]})]})]})]})}function Gt({trace:e}){let a=new URLSearchParams($e.value.query).get("span")??"",n=g=>{let L=new URLSearchParams($e.value.query);g?L.set("span",g):L.delete("span"),Ft("?"+L.toString())},[s,o]=re(new Set),[l,u]=re(""),[f,m]=re(""),[O,c]=re(null),[C,A]=re(Number(Ye.read("lp-trace-split"))||420),v=de(()=>Be(e.spans),[e]),k=de(()=>_e(e.spans),[e]),I=O?ne(O,k):k,T=Number(f)||0,V=g=>g.durationMs>=T&&(l===""||(g.name+" "+g.spanId+" "+(g.errorType??"")+" "+g.attributes.map(L=>L.value).join(" ")).toLowerCase().includes(l.toLowerCase())),D=de(()=>Ve(v,s,V),[v,s,l,T]),B=de(()=>l||T?e.spans.filter(V).length:0,[e,l,T]),p=D.findIndex(g=>g.span.spanId===a),b=e.spans.find(g=>g.spanId===a),r=b&&b.startMs+b.durationMs>=I.from&&b.startMs<=I.to?Math.min(Math.max(b.startMs,I.from),I.to):(I.from+I.to)/2,i={in:()=>c(ge(I,2,r,k)),out:()=>c(ge(I,.5,r,k)),left:()=>c(be(I,-.25,k)),right:()=>c(be(I,.25,k)),all:()=>c(null),span:()=>b&&c(Fe(b,k))},y=e.spans.filter(g=>e.spans.some(L=>L.parentId===g.spanId)),N=g=>{let L=Math.round(Math.min(Math.max(g,280),900));A(L),Ye.write("lp-trace-split",String(L))},ae=I.to-I.from<k.to-k.from;return M(ce,{children:[M("div",{class:"row",role:"toolbar","aria-label":"Waterfall",children:[M("label",{class:"field inline",children:[h("span",{class:"label",children:"Find in spans"}),h("input",{class:"input",type:"search","data-filter":!0,"data-testid":"span-search",value:l,autocomplete:"off",spellcheck:!1,onInput:g=>u(g.currentTarget.value),onKeyDown:g=>g.key==="Escape"&&u("")})]}),M("label",{class:"field inline",children:[h("span",{class:"label",children:"Min. duration (ms)"}),h("input",{class:"input short",inputMode:"decimal","data-testid":"span-min",value:f,autocomplete:"off",onInput:g=>m(g.currentTarget.value)})]}),h(Q,{tid:"span-fold-all",small:!0,onClick:()=>o(new Set(s.size?[]:y.map(g=>g.spanId))),children:s.size?"Expand all":"Collapse all"}),M("span",{class:"row nowrap",role:"group","aria-label":"Zoom",children:[h(Q,{tid:"zoom-in",small:!0,label:"Zoom in",onClick:i.in,children:"+"}),h(Q,{tid:"zoom-out",small:!0,label:"Zoom out",disabled:!ae,onClick:i.out,children:"\u2212"}),h(Q,{tid:"zoom-left",small:!0,label:"Earlier",disabled:I.from<=k.from,onClick:i.left,children:"\u2190"}),h(Q,{tid:"zoom-right",small:!0,label:"Later",disabled:I.to>=k.to,onClick:i.right,children:"\u2192"}),h(Q,{tid:"zoom-span",small:!0,disabled:!b,onClick:i.span,children:"Fit span"}),h(Q,{tid:"zoom-all",small:!0,disabled:!ae,onClick:i.all,children:"Fit all"})]}),h("span",{class:"hint num","data-testid":"span-count",role:"status",children:l||T?B+" of "+e.spans.length+" spans match":e.spans.length+(e.spans.length===1?" span":" spans")})]}),M("p",{class:"vh",children:["The trace took ",E(e.durationMs),". On the critical path:"," ",D.filter(g=>g.critical).slice(0,12).map(g=>g.span.name+" "+E(g.span.durationMs)).join(", "),"."]}),M("div",{class:"waterfall"+(b?" chosen":""),style:{"--side":C+"px"},children:[h(Ze,{spans:e.spans,rows:D,folded:s,at:p,view:I,all:k,show:i,onView:c,onChoose:n,onFold:(g,L)=>o(F=>{let $=new Set(F);return L?$.add(g):$.delete(g),$})}),b&&M(ce,{children:[h("div",{class:"splitter",role:"separator","aria-orientation":"vertical","aria-label":"Width of the details","aria-valuenow":C,"aria-valuemin":280,"aria-valuemax":900,tabIndex:0,"data-testid":"span-split",onKeyDown:g=>(g.key==="ArrowLeft"||g.key==="ArrowRight")&&(g.preventDefault(),N(C+(g.key==="ArrowLeft"?24:-24))),onPointerDown:g=>{let L=g.clientX,F=g.currentTarget;F.setPointerCapture(g.pointerId);let $=dt=>N(C+L-dt.clientX);F.addEventListener("pointermove",$),F.addEventListener("pointerup",()=>F.removeEventListener("pointermove",$),{once:!0})}}),h(He,{trace:e,span:b,selfMs:D[p]?.selfMs,critical:D[p]?.critical??!1,onFit:i.span,onClose:()=>n("")})]})]}),h("p",{class:"hint",children:"A bar with an edge lies on the critical path: the trace would have been shorter without it. Keys in the waterfall: arrows move and fold, + and \u2212 zoom, Shift with arrows moves the view, 0 fits all, f fits the span."})]})}import{adopt as sa}from"./core.js";var at=`.tracefilters {
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
`;import{Fragment as ot,jsx as d,jsxs as S}from"./core.js";sa(at);var ue=[["5m","5 min"],["10m","10 min"],["20m","20 min"],["30m","30 min"],["1h","1 h"],["3h","3 h"],["all","This run"]],ke=100,oa=matchMedia("(max-width: 719px)").matches,ia=[["","Any status"],["running","Running"],["ok","Ok"],["error","Error"],["cancelled","Cancelled"],["blocked","Blocked"],["paused","Paused"],["incomplete","Incomplete"]],la=["win","from","to","model","tool","server","status","conv","min","q"];function te(){let e=new URLSearchParams(Se.value.query),t={};for(let a of la)e.get(a)&&(t[a]=e.get(a));return!t.win&&!t.from&&!t.to&&(t.win="30m"),t}function bn({args:e}){let t=e[0]??"";me(()=>{t===""&&Qt("/observe/traces"+Se.value.query,!0)},[t]);let a=new URLSearchParams(Se.value.query).get("trace"),n=it(a);return me(()=>{n.current!==a&&document.querySelector("h1")?.focus({preventScroll:!0}),n.current=a},[a]),t==="prices"?d(Ne,{}):t!==""&&t!=="traces"?d(lt,{title:"Observability",children:d(Me,{title:"There is no such page here",children:d("a",{class:"btn primary",href:"/observe/traces","data-testid":"observe-to-traces",children:"Open the traces"})})}):a?d(tt,{id:a,back:"/observe/traces"+H(te())}):d(da,{})}function da(){let e=te(),[t,a]=oe([]),[n,s]=oe(e.q??""),[o,l]=oe(e.min??""),u=nt(n,200),f=nt(o,300),m=r=>{let i={...te(),...r};r.win?(delete i.from,delete i.to):(r.from||r.to)&&delete i.win,a([]),ye(H(i))};me(()=>{u!==(te().q??"")&&m({q:u})},[u]),me(()=>{f!==(te().min??"")&&m({min:f})},[f]);let O=H(e),{data:c,error:C,loading:A,reload:v}=$t(r=>Zt("/api/observe/traces"+H({...e,limit:ke,cursor:t[t.length-1]}),r),[O,t],["observe"]),k=r=>{let i=ue.findIndex(([y])=>y===te().win);i>=0&&ue[i+r]&&m({win:ue[i+r][0]})},I=()=>{let r=new Date(c?.to??Date.now()),i=c?.from?new Date(c.from):new Date(Math.min(...(c?.items??[]).map(y=>Date.parse(y.startAt)),r.getTime()-6e4));return{...e,win:"",from:e.from??i.toISOString(),to:e.to??r.toISOString()}},T=async()=>{let r=I();ye(H(r));try{await navigator.clipboard.writeText(location.origin+"/observe/traces"+H(r)),rt("Copied a link to just this range.")}catch{rt("The address now holds just this range: copy it from there.")}},V=["model","tool","server","status","conv","min","q"].filter(r=>e[r]).length,D=()=>(s(""),l(""),m({model:"",tool:"",server:"",status:"",conv:"",min:"",q:""})),B=(r,i,y)=>[["",i],...[...new Set([...r??[],...y?[y]:[]])].map(N=>[N,N])],p=c?.totals.longestMs??0,b=c?.totals;return d(lt,{title:"Traces",crumbs:[["Observability","/observe/traces"]],own:[{id:"refresh",label:"Read the traces again",keys:"r",run:v},{id:"narrower",label:"Narrower window",keys:"[",run:()=>k(-1)},{id:"wider",label:"Wider window",keys:"]",run:()=>k(1)},{id:"absolute",label:"Make the range absolute",keys:"t a",run:()=>ye(H(I()))},{id:"share",label:"Copy a link to this range",run:()=>{T()}}],children:S("div",{class:"stack","data-testid":"observe-traces",children:[S("div",{class:"row spread",children:[e.win?d(na,{tid:"trace-window",label:"Window",value:e.win,options:ue,onChange:r=>m({win:r})}):S("div",{class:"row","data-testid":"trace-range",children:[S("span",{class:"chip tag",children:[e.from?new Date(e.from).toLocaleString():"The beginning"," to"," ",e.to?new Date(e.to).toLocaleString():"now"]}),d(q,{tid:"trace-range-live",small:!0,onClick:()=>m({win:"30m"}),children:"Follow the last 30 min"})]}),S("span",{class:"row",children:[d(ca,{state:e,set:m}),d(q,{tid:"trace-refresh",small:!0,busy:A&&c!==void 0,onClick:v,children:"Refresh"}),d(q,{tid:"trace-share",small:!0,icon:"link",onClick:()=>{T()},children:"Share link"}),d("a",{class:"btn small",href:"/observe/prices","data-testid":"trace-prices",children:"Prices"})]})]}),S("details",{class:"morefilters",open:!oa||void 0,children:[S("summary",{"data-testid":"trace-filters",children:["Filters",V?" ("+V+")":""]}),S("div",{class:"tracefilters",children:[S("label",{class:"field search",children:[d("span",{class:"label",children:"Name or id"}),d("input",{class:"input",type:"search","data-filter":!0,"data-testid":"trace-search",value:n,autocomplete:"off",spellcheck:!1,onInput:r=>s(r.currentTarget.value),onKeyDown:r=>r.key==="Escape"&&s("")})]}),d(pe,{tid:"trace-filter-model",label:"Model",value:e.model??"",options:B(c?.models,"Any model",e.model),onChange:r=>m({model:r})}),d(pe,{tid:"trace-filter-tool",label:"Tool",value:e.tool??"",options:B(c?.tools,"Any tool",e.tool),onChange:r=>m({tool:r})}),d(pe,{tid:"trace-filter-server",label:"Server",value:e.server??"",options:B(c?.servers,"Any server",e.server),onChange:r=>m({server:r})}),d(pe,{tid:"trace-filter-status",label:"Status",value:e.status??"",options:ia,onChange:r=>m({status:r})}),d(ra,{tid:"trace-filter-min",label:"Min. duration (ms)",value:o,onInput:l})]})]}),e.conv&&S("div",{class:"row",children:[S("span",{class:"chip tag",children:["Conversation ",d(se,{text:e.conv})]}),d(q,{tid:"trace-filter-conv-clear",small:!0,kind:"quiet",onClick:()=>m({conv:""}),children:"Show all conversations"})]}),C!==null&&d(aa,{error:C,retry:v}),!c&&C===null&&d(ta,{what:"traces"}),c&&b&&S("p",{class:"num muted","data-testid":"trace-totals",children:[b.traces," ",b.traces===1?"trace":"traces"," \xB7 ",b.errors," with an error",b.running?" \xB7 "+b.running+" running":""," \xB7 ",b.toolCalls," tool"," ",b.toolCalls===1?"call":"calls"," \xB7 tokens ",j(b.tokens),b.costMicroUSD!==void 0?" \xB7 "+W(b.costMicroUSD):"",b.unpricedTokens?" \xB7 "+ea(b.unpricedTokens,"token")+" unpriced":""]}),c&&c.items.length===0&&(V?d(Me,{title:"No trace matches "+V+(V===1?" filter":" filters"),children:d(q,{tid:"trace-clear",kind:"primary",onClick:D,children:"Clear filters"})}):S(Me,{title:"Nothing was traced in this window",children:[d("p",{children:"Each chat turn, test run and call by an MCP client is recorded here while the playground runs. Nothing is sent anywhere."}),d("a",{class:"btn primary",href:"/chat","data-testid":"trace-empty-chat",children:"Start a chat"}),e.win!=="all"&&d(q,{tid:"trace-empty-all",onClick:()=>m({win:"all"}),children:"Show all of this run"})]})),c&&c.items.length>0&&S("table",{class:"cards traces"+(C!==null?" stale":""),"data-testid":"trace-list",children:[d("thead",{children:S("tr",{children:[d("th",{scope:"col",children:"Started"}),d("th",{scope:"col",children:"What"}),d("th",{scope:"col",children:"Model"}),d("th",{scope:"col",children:"Duration"}),d("th",{scope:"col",children:"Tokens"}),d("th",{scope:"col",children:"Cost"}),d("th",{scope:"col",children:"Status"})]})}),d("tbody",{children:c.items.map(r=>d(pa,{trace:r,longest:p,state:e},r.traceId))})]}),c&&(c.nextCursor||t.length>0)&&S("nav",{class:"row","aria-label":"Pages of traces",children:[d(q,{tid:"trace-newer",disabled:t.length===0,onClick:()=>a(t.slice(0,-1)),children:"Newer"}),d(q,{tid:"trace-older",disabled:!c.nextCursor,onClick:()=>a([...t,c.nextCursor]),children:"Older"}),S("span",{class:"muted num","data-testid":"trace-place",children:[t.length*ke+1," to ",t.length*ke+c.items.length," of"," ",c.totals.traces]})]})]})})}function st(e){let t=e?new Date(e):new Date(NaN);return isNaN(t.getTime())?"":new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function ca({state:e,set:t}){let a=it(null),[n,s]=oe(st(e.from)),[o,l]=oe(st(e.to)),u=n!==""&&o!==""&&n>o;return S("details",{class:"pick",ref:a,onKeyDown:m=>m.key==="Escape"&&a.current&&(a.current.open=!1),children:[d("summary",{class:"btn small","data-testid":"trace-range-open",children:"Custom range"}),d("div",{children:S("form",{class:"stack tight",onSubmit:m=>{m.preventDefault(),!(u||n===""&&o==="")&&(t({from:n?new Date(n).toISOString():"",to:o?new Date(o).toISOString():""}),a.current&&(a.current.open=!1))},children:[S("label",{class:"field",children:[d("span",{class:"label",children:"From"}),d("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-from",value:n,onInput:m=>s(m.currentTarget.value)})]}),S("label",{class:"field",children:[d("span",{class:"label",children:"To, or empty for now"}),d("input",{class:"input",type:"datetime-local",step:"1","data-testid":"trace-range-to",value:o,onInput:m=>l(m.currentTarget.value)})]}),u&&d("p",{class:"err",role:"alert",children:"The end lies before the beginning. Choose a later end."}),d(q,{tid:"trace-range-show",kind:"primary",type:"submit",disabled:u||n===""&&o==="",children:"Show range"})]})})]})}function pa({trace:e,longest:t,state:a}){let n=e.models??[],s=z(e),o=e.tools??[];return S("tr",{"data-testid":"trace-row","data-id":e.traceId,"data-status":e.outcome??e.status,children:[d("td",{"data-label":"Started",children:d(Yt,{at:e.startAt})}),S("td",{children:[S("a",{href:"/observe/traces"+H({...a,trace:e.traceId}),"data-row":!0,"data-testid":"trace-open","data-id":e.traceId,children:[K(e.operation),s&&S(ot,{children:[" ","\xB7 ",d(se,{text:s})]})]}),S("div",{class:"hint num",children:[e.spanCount," ",e.spanCount===1?"span":"spans",o.length>0&&S(ot,{children:[" ","\xB7"," ",d(se,{text:o.slice(0,4).map(l=>l.name+(l.calls>1?" \xD7"+l.calls:"")).join(", ")+(o.length>4?", and "+(o.length-4)+" more":"")})]}),e.toolErrors>0&&S("span",{class:"err",children:[" ","\xB7 ",e.toolErrors," tool ",e.toolErrors===1?"error":"errors"]})]})]}),d("td",{"data-label":"Model",children:n.length===0?d("span",{class:"muted",children:"\u2014"}):d(se,{text:n[0].name+(n.length>1?" and "+(n.length-1)+" more":"")})}),S("td",{"data-label":"Duration",class:"num","data-testid":"trace-duration","data-ms":e.durationMs,children:[E(e.durationMs),d("span",{class:"spark","aria-hidden":"true",children:d("i",{style:{width:Math.max(1,t>0?e.durationMs/t*100:0)+"%"}})})]}),d("td",{"data-label":"Tokens",class:"num",children:j(e.tokens)}),d("td",{"data-label":"Cost","data-testid":"trace-cost",children:ee(e)}),S("td",{"data-label":"Status",children:[d(Y,{of:e.outcome??e.status,tid:"trace-status"}),e.errorType&&e.outcome!=="cancelled"&&d("div",{class:"hint",children:d(se,{text:e.errorType})})]})]})}export{bn as Observe};

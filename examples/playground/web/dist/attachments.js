import{Button as p,bytes as z}from"./core.js";import{adopt as H}from"./core.js";var A=`.attachments {
  display: grid;
  gap: 4px;
  margin: 0;
  padding: 0;
  list-style: none;
  min-width: 0;
}
.attachment {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 2px 8px;
  min-width: 0;
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 1px 4px 1px 10px;
  font-size: var(--t2);
  background: var(--surface);
}
.attachment .name {
  max-width: 28ch;
  font-weight: 500;
}
.attachment .state {
  white-space: normal;
  overflow-wrap: anywhere;
  flex: 1 1 16ch;
  min-width: 0;
}
.attachment progress {
  width: 64px;
}
.attachment.bad {
  border-color: var(--danger);
}
.attachment.bad .state {
  color: var(--danger);
}
.attachment .warned {
  white-space: normal;
  color: var(--warning);
}
.bubble .attachments,
.asked .attachments {
  margin-top: 6px;
}
`;import{counted as nt}from"./core.js";var S="Its text may try to give orders to the model";var U={unsupported:"This kind of file cannot be read. Use a PDF, an office document or text.",encrypted:"It needs a password. Save it without one, and add it again.","no-text":"There is no text in it; it may be a scan. Use a file with text.",unreadable:"Its text came out unusable. Use another version of it.",limit:"It is too large to be read. Divide it, and add the parts.",corrupt:"The file is damaged. Use a sound copy.",embedder:"The model that makes it searchable failed. Try again when it answers."},T=t=>U[String(t??"")]??"It could not be prepared. Try again.";var h=t=>t.state!=="ready"&&t.state!=="failed",P=t=>t.state==="failed"&&(!t.problem||t.problem==="embedder"),D=t=>t.total?", "+(t.done??0)+" of "+t.total:"";function q(t){switch(t.state){case"extracting":return"its text is being read";case"indexing":return"it is being made searchable"+D(t);case"summarizing":return"an overview is being written"+D(t)+"; you can ask already";case"failed":return T(t.problem)}return t.tier==="small"?"the model reads all of it":"the model reads an overview and the passages that fit the question"}import{Fragment as J,jsx as s,jsxs as m}from"./core.js";H(A);function M({file:t}){return m("li",{class:"attachment"+(t.problem?" bad":""),"data-testid":"sending","data-id":t.name,children:[s("span",{class:"cut name",children:t.name}),s("span",{class:"hint num",children:z(t.size)}),s("span",{class:"hint state",children:t.problem||"being sent"}),!t.problem&&s("progress",{max:t.size,value:t.sent,"aria-label":"Sending "+t.name}),s(p,{tid:"sending-stop",small:!0,kind:"quiet",icon:"close",label:(t.problem?"Dismiss ":"Stop sending ")+t.name,onClick:t.stop})]})}function V({doc:t,now:e}){let n=t.state==="failed";return m("li",{class:"attachment"+(n?" bad":""),"data-testid":"attachment","data-id":t.name,"data-state":t.state,"data-tier":t.tier,children:[s("span",{class:"cut name",title:t.overview,children:t.name}),s("span",{class:"hint num",children:z(t.bytes)}),s("span",{class:"hint state","data-testid":"attachment-state",children:q(t)}),h(t)&&s("progress",{...t.total?{max:t.total,value:t.done??0}:{},"aria-label":"Preparing "+t.name}),(t.findings?.length??0)>0&&s("span",{class:"chip warned",children:S}),P(t)&&s(p,{tid:"attachment-retry",small:!0,onClick:()=>{e.retry(t)},children:"Try again"}),t.promoted?m("span",{class:"hint",children:["in the"," ",s("a",{href:"/vectors","data-testid":"attachment-library",children:"Vector Database"})]}):t.state==="ready"&&s(p,{tid:"attachment-promote",small:!0,kind:"quiet",title:"Add it to the Vector Database, where every chat can search it, and where it stays if this chat is deleted.",onClick:()=>{e.promote(t)},children:"Keep for all chats"}),s(p,{tid:"attachment-remove",small:!0,kind:"quiet",icon:"close",label:"Remove "+t.name,onClick:()=>{e.remove(t)}})]})}function j({now:t,docs:e,files:n=[],waiting:a,onSend:i}){return m(J,{children:[m("ul",{class:"attachments","aria-label":"Attached documents",children:[e.map(r=>s(V,{doc:r,now:t},r.id)),n.map(r=>s(M,{file:r},"f"+r.id))]}),a&&m("div",{class:"row spread","data-testid":"attachments-waiting",children:[s("span",{class:"hint",children:"The question is sent as soon as the documents were read."}),s(p,{tid:"attachments-send",small:!0,kind:"quiet",onClick:i,children:"Send it now"})]})]})}import{ApiError as w,del as K,get as W,post as B}from"./core.js";import{on as X}from"./core.js";import{go as G,landing as Q}from"./core.js";import{kept as f}from"./core.js";import{announce as b,toast as _}from"./core.js";import{ApiError as N}from"./core.js";import{bytes as F}from"./core.js";var I=(t,e)=>t.size>e?"It has "+F(t.size)+", and up to "+F(e)+" are taken. Divide it, or raise the setting retrieval.maxFile and start again.":t.size===0?"The file is empty.":"";function C(t,e){let n={type:"about:blank",code:t===0?"offline":"http_"+t,status:t,title:t===0?"The playground does not answer.":"The server answered "+t+".",requestId:""};try{n={...n,...JSON.parse(e)}}catch{}return new N(n,t)}function O(t,e,n){let a=new XMLHttpRequest;return{done:new Promise((r,o)=>{a.upload.onprogress=d=>n(d.loaded),a.onload=()=>{a.status<300?r(JSON.parse(a.responseText)):o(C(a.status,a.responseText))},a.onerror=()=>o(C(0,"")),a.onabort=()=>r(null),a.open("POST",t),a.setRequestHeader("Content-Type","application/octet-stream"),a.setRequestHeader("Accept","application/json"),a.send(e)}),stop:()=>a.abort()}}var g=t=>"lp-chat-draft-"+(t||"new");var y=5,Y=700;function v(t){let e=t instanceof w?t.code:"";return e==="documents_unavailable"?"Documents cannot be opened at the moment. The page Vector Database says why.":t instanceof w&&t.status===413?"It is too large.":e==="offline"?"The playground does not answer. Try again when it does.":"The server did not do it. Try again."}var x=class{docs=[];files=[];watchers=new Set;timer=0;asked=0;off=()=>{};path;constructor(e){this.path="/api/conversations/"+e+"/attachments",this.id=e}id;watch(e){return this.watchers.add(e),e(this.now()),this.read(),this.watchers.size===1&&(this.off=X(["documents"],n=>{(n.type==="resync"||n.data?.conversation===this.id)&&this.soon()})),()=>{this.watchers.delete(e),!(this.watchers.size>0)&&(this.off(),clearTimeout(this.timer),this.timer=0)}}now(){return{docs:this.docs,files:this.files,remove:e=>this.act(()=>K(this.path+"/"+e.id),e.name+" was removed."),promote:e=>this.act(()=>B(this.path+"/"+e.id+"/promote"),e.name+" was added to the Vector Database."),retry:e=>this.act(()=>B(this.path+"/"+e.id+"/retry"),"")}}show(){let e=this.now();for(let n of this.watchers)n(e)}soon(){!this.timer&&this.watchers.size>0&&(this.timer=window.setTimeout(()=>{this.timer=0,this.read()},Y))}async read(){let e=++this.asked;try{let{attachments:n}=await W(this.path);if(e!==this.asked)return;for(let a of n)a.state==="ready"&&this.docs.some(i=>i.id===a.id&&h(i))&&b(a.name+" is ready.");this.docs=n,this.show(),n.some(h)&&this.soon()}catch(n){n instanceof w&&n.status!==404&&this.docs.some(h)&&this.soon()}}async act(e,n){try{await e(),n&&b(n)}catch(a){_(v(a),void 0,!0)}await this.read()}async room(){return await this.read(),y-this.docs.length-this.files.filter(e=>!e.problem).length}change(e,n){this.files=this.files.map(a=>a.id===e.id?{...a,...n}:a),this.show()}drop(e){this.files=this.files.filter(n=>n.id!==e.id),this.show()}async send(e){let n=e.map(a=>{let i={id:++Z,name:a.name,size:a.size,sent:0,problem:"",stop:()=>this.drop(i)};return[i,a]});this.files=[...this.files,...n.map(([a])=>a)],this.show();for(let[a,i]of n){if(!this.files.some(o=>o.id===a.id))continue;let r=O(this.path+"?name="+encodeURIComponent(i.name),i,o=>this.change(a,{sent:o}));this.change(a,{stop:()=>(r.stop(),this.drop(a))});try{await r.done,await this.read(),this.drop(a)}catch(o){this.change(a,{problem:v(o),stop:()=>this.drop(a)})}}}},Z=0,L=new Map,k=t=>{let e=L.get(t);return e||L.set(t,e=new x(t)),e},$=(t,e)=>k(t).watch(e);async function tt(t,e,n,a){let i=[],r=t?await k(t).room():y,o;try{o=(await W("/api/vectors")).maxBytes}catch(c){return v(c)}let d=[];for(let c of e){let R=I(c,o);R?i.push(c.name+": "+R):d.length>=r?i.push(c.name+" is one too many: a chat has at most "+y+" documents. Remove one first."):d.push(c)}let l=i.join(" ");if(d.length===0)return l;let u=t||await n();return b(d.length===1?"One file is attached.":d.length+" files are attached."),k(u).send(d),t?l:(l&&_(l,void 0,!0),f.write(g(u),f.read(g(""))),f.write(g(""),null),a(),Q.on="textarea",G("/chat/"+u),"")}export{j as AttachmentChips,tt as attach,$ as watchAttachments};

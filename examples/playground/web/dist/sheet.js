import{Dialog as m}from"./core.js";import{known as c,sheetOpen as d,singles as i}from"./core.js";import{adopt as f}from"./core.js";var l=`.keys {
  columns: 2;
  column-gap: 32px;
}
.keys section {
  break-inside: avoid;
  margin-block-end: 16px;
}
.keys section > h3 {
  margin-block: 0 4px;
}
.keys dl > div {
  display: grid;
  grid-template-columns: 120px minmax(0, 1fr);
  gap: 12px;
  padding: 4px 0;
  align-items: baseline;
}
.keys dt {
  display: flex;
  gap: 4px;
  flex-wrap: wrap;
}
.keys .off {
  color: var(--subtle);
}
.keys .off kbd {
  text-decoration: line-through;
}
@media (max-width: 1279px) {
  .keys dl > div {
    grid-template-columns: 88px minmax(0, 1fr);
  }
}
@media (max-width: 899px) {
  .keys {
    columns: 1;
  }
  .keys dl > div {
    grid-template-columns: 120px minmax(0, 1fr);
  }
}
`;import{jsx as e,jsxs as a}from"./core.js";f(l);function h(){let o=c(),n=[...new Set(o.map(s=>s.where))];return e("div",{class:"keys","data-testid":"shortcut-list",children:n.map(s=>a("section",{"aria-label":s,children:[e("h3",{children:s}),e("dl",{children:o.filter(t=>t.where===s).map(t=>a("div",{class:t.single&&!i.value?"off":"","data-testid":"shortcut-row",children:[e("dt",{children:t.keys.split(" ").map(r=>e("kbd",{children:r}))}),a("dd",{children:[t.what,t.single&&!i.value&&e("span",{class:"muted",children:" (off)"})]})]}))})]}))})}function v(){return a(m,{tid:"shortcuts",title:"Keyboard shortcuts",cls:"wide",onClose:()=>d.value=!1,children:[!i.value&&e("p",{class:"note mid",children:a("span",{children:["Single-key shortcuts are off."," ",e("a",{href:"/settings/keyboard","data-testid":"shortcuts-settings",onClick:()=>d.value=!1,children:"Switch them on"}),"."]})}),e(h,{})]})}export{v as Sheet,h as Shortcuts};

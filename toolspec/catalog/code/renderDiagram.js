// Shows a Mermaid diagram. The text is only looked over: what could run
// scripts, follow links or change the settings of the renderer is refused, and
// colours are the front end's matter.

// include shared/card.js

// include shared/show.js

let source = mermaid.replace(/\r\n?/g, '\n').trim();
// A model likes to put it into a block of its own.
const fenced = /^(`{3,}|~{3,})[ \t]*(?:mermaid)?[ \t]*\n([\s\S]*?)\n?\1\s*$/i.exec(source);
if (fenced) source = fenced[2].trim();
let own = ''; // a title within the text
const front = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(source);
if (front) {
  const line = /^[ \t]*title:[ \t]*(.+)$/m.exec(front[1]);
  if (line) own = line[1].trim().replace(/^(["'])(.*)\1$/, '$2');
  source = source.slice(front[0].length).trim();
}
if (source === '') throw new Error('mermaid is empty; pass text such as "flowchart TD\\n  A --> B"');
if (source.length > 20000) throw new Error('mermaid has ' + source.length + ' characters, at most 20000 fit; split the diagram');
if (/%%\s*\{/.test(source)) throw new Error('mermaid must not hold directives (%%{init: …}%%); leave that line out');

const kinds = {
  flowchart: 'Flowchart', graph: 'Flowchart', sequenceDiagram: 'Sequence diagram', classDiagram: 'Class diagram', 'classDiagram-v2': 'Class diagram', stateDiagram: 'State diagram', 'stateDiagram-v2': 'State diagram',
  erDiagram: 'Entity relationship diagram', gantt: 'Gantt chart', pie: 'Pie chart', mindmap: 'Mind map', timeline: 'Timeline', journey: 'User journey', gitGraph: 'Git graph', quadrantChart: 'Quadrant chart',
  requirementDiagram: 'Requirement diagram', C4Context: 'C4 diagram', C4Container: 'C4 diagram', C4Component: 'C4 diagram', C4Dynamic: 'C4 diagram', C4Deployment: 'C4 diagram',
  'sankey-beta': 'Sankey diagram', 'xychart-beta': 'Chart', 'block-beta': 'Block diagram', 'packet-beta': 'Packet diagram', 'architecture-beta': 'Architecture diagram', kanban: 'Kanban board',
};
const comment = /^\s*%%/;
const all = source.split('\n').map((l) => (comment.test(l) ? '' : l));
const start = all.findIndex((l) => l.trim() !== '');
const first = start < 0 ? '' : /^[\w-]*/.exec(all[start].trim())[0];
const kind = Object.keys(kinds).find((k) => k.toLowerCase() === first.toLowerCase());
if (kind === undefined) {
  throw new Error('mermaid begins with ' + show(start < 0 ? '' : all[start].trim()) + ', not with the kind of diagram; begin with flowchart TD, sequenceDiagram, classDiagram, stateDiagram-v2, erDiagram, gantt, mindmap, journey, gitGraph or another');
}
all[start] = all[start].replace(first, kind); // Mermaid minds upper and lower case

const active = /<\/?(script|style|iframe|frame|object|embed|img|image|svg|math|video|audio|source|link|meta|base|form|input|button|textarea|select|details|template|html|head|body|a(?=\s))\b/i;
const plain = /<\/?(div|span|p|b|i|u|em|strong|small|sub|sup|font|table|tr|td|h[1-6]|ul|ol|li|pre|code)(\s[^>]*)?\/?>/;
const flow = kind === 'flowchart' || kind === 'graph';
const clickable = flow || /^(class|state)Diagram|^gantt$/.test(kind);
let styled = 0;
const kept = [];
all.forEach((line, i) => {
  const where = 'mermaid line ' + (i + 1) + ': ';
  // A stereotype of a class, such as <<interface>>, is no HTML.
  const words = line.replace(/<<(?!\s*(script|style|iframe|object|embed|svg|math)\b)[\w ]+>>/gi, '');
  const html = active.exec(words) || plain.exec(words);
  if (html) throw new Error(where + 'HTML (<' + html[1] + '>) is not shown; only <br> is, write plain text');
  if (/\b(javascript|vbscript):\S|\bdata:\s*(text|image|application)\//i.test(line)) throw new Error(where + 'script and data addresses are not allowed; leave them out');
  // Statements may share a line, separated by semicolons.
  if ((clickable && /(^|;)\s*(click|callback)\s+\S/.test(line)) || (kind === 'sequenceDiagram' && /^\s*links?\s+\w+\s*:/.test(line))) throw new Error(where + 'clicks and links are not supported; leave that line out');
  if (/^\s*(style|classDef|linkStyle|cssClass|UpdateElementStyle|UpdateRelStyle)\b/.test(line) && kind !== 'mindmap' && kind !== 'kanban') {
    styled++;
    return;
  }
  let text = line.replace(/:::[\w-]+/g, '');
  if (flow) {
    text = text.replace(/;\s*(style|classDef|linkStyle)\b[^;]*/g, () => {
      styled++;
      return '';
    });
  }
  if (text.trim() !== '') kept.push(text.replace(/\s+$/, ''));
});
if (kept.length < 2 && !/[;\n]\s*\S|\s\S+\s/.test(kept.join('\n').trim())) {
  throw new Error('mermaid holds only the kind of diagram; add lines such as "A --> B"');
}
if (flow) {
  const open = kept.filter((l) => /^\s*subgraph\b/.test(l)).length;
  const shut = kept.filter((l) => /^\s*end\s*;?\s*$/.test(l)).length;
  if (open !== shut) throw new Error('mermaid has ' + open + ' subgraph and ' + shut + ' end; each subgraph needs one end on a line of its own');
}

const payload = { type: 'diagram' };
const heading = clean(title === undefined ? own : title, 120);
if (heading !== '') payload.title = heading;
payload.syntax = 'mermaid';
payload.kind = kind;
payload.source = kept.join('\n').trim();
const lines = payload.source.split('\n').length;
return card(kinds[kind] + (heading === '' ? '' : ' "' + heading + '"') + ': ' + lines + (lines === 1 ? ' line' : ' lines') + (styled > 0 ? ', ' + styled + (styled === 1 ? ' style' : ' styles') + ' left out' : '') + '.', payload);

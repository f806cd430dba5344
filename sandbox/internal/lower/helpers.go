package lower

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// The helper of the translator for async generators has a bug: if a finally block awaits,
// the helper resumes the generator with return again and so loses the rest of the block.
// These two helpers replace it. An object of the first is a queue of requests that are
// processed one at a time. A value that the generator yields as __await is awaited; for a
// step of yield*, it contains the name of a method.
const asyncGenerator = `(__this, __arguments, generator) => {
  var head, tail, busy, working, started, done, it = {};
  generator = generator.apply(__this, __arguments);
  var wait = (v, yes, no) => {
    try {
      Promise.resolve(v).then(yes, no);
    } catch (e) {
      no(e);
    }
  };
  var settle = (ok, value, end) => {
    var r = head;
    head = r.next;
    busy = false;
    ok ? r.yes({ value, done: end }) : r.no(value);
    work();
  };
  var finish = (v) => wait(v, (y) => settle(true, y, true), (e) => settle(false, e));
  var run = (k, v, raw) => {
    try {
      var r = generator[k](v), x = r.value, end = r.done;
    } catch (e) {
      done = true;
      return settle(false, e);
    }
    if (end) {
      done = true;
      finish(x);
    } else if (raw) {
      settle(true, x, false);
    } else if (x instanceof __await) {
      wait(x[0], (y) => {
        if (!x[1]) return run("next", y);
        try {
          var end = !!y.done, value = y.value;
        } catch (e) {
          return run("throw", e);
        }
        run(x[1] === "return" ? "return" : "next", { value, done: end }, !end);
      }, (e) => run("throw", e));
    } else {
      wait(x, (y) => settle(true, y, false), (e) => run("throw", e));
    }
  };
  var work = () => {
    if (working) return;
    working = true;
    while (head && !busy) {
      var k = head.k, v = head.v;
      busy = true;
      if (done || !started && k !== "next") {
        done = true;
        k === "next" ? settle(true, void 0, true) : k === "throw" ? settle(false, v) : finish(v);
      } else {
        started = true;
        k === "return" ? wait(v, (y) => run("return", y), (e) => run("throw", e)) : run(k, v);
      }
    }
    working = false;
  };
  var method = (k) => it[k] = (v) => new Promise((yes, no) => {
    var r = { k, v, yes, no };
    head ? tail.next = r : head = r;
    tail = r;
    work();
  });
  it[__knownSymbol("asyncIterator")] = () => it;
  method("next");
  method("throw");
  method("return");
  return it;
}`

const yieldStar = `(value) => {
  var obj = value[__knownSymbol("asyncIterator")], waiting = false, it = {}, method;
  if (obj == null) {
    obj = value[__knownSymbol("iterator")]();
    method = (k) => it[k] = (x) => obj[k](x);
  } else {
    obj = obj.call(value);
    method = (k) => it[k] = (v) => {
      if (waiting) {
        waiting = false;
        if (k === "throw") throw v;
        return v;
      }
      waiting = true;
      return {
        done: false,
        value: new __await(new Promise((resolve) => {
          var x = obj[k](v);
          resolve(Promise.resolve(x).then((x) => Object(x) === x ? x : __typeError("Object expected")));
        }), k)
      };
    };
  }
  it[__knownSymbol("iterator")] = () => it;
  method("next");
  obj.throw != null ? method("throw") : it.throw = (x) => {
    throw x;
  };
  obj.return != null && method("return");
  return it;
}`

// ownHelpers returns the text of the helpers, with the two replaced by those of this
// package. The translator may have added a number to their names.
func ownHelpers(out string, statements []ast.Statement) string {
	var text strings.Builder
	var names []string
	type swap struct {
		from, to int
		with     string
	}
	var swaps []swap
	for _, s := range statements {
		for _, b := range s.(*ast.VariableStatement).List {
			id, ok := b.Target.(*ast.Identifier)
			if !ok || b.Initializer == nil {
				continue
			}
			name := id.Name.String()
			base := strings.TrimRight(name, "0123456789")
			from, to := int(b.Initializer.Idx0())-1, int(b.Initializer.Idx1())-1
			switch base {
			case "__asyncGenerator":
				swaps = append(swaps, swap{from, to, asyncGenerator})
			case "__yieldStar":
				swaps = append(swaps, swap{from, to, yieldStar})
			case "__await", "__knownSymbol", "__typeError":
				names = append(names, base, name)
			}
		}
	}
	rename := strings.NewReplacer(names...)
	done := 0
	for _, s := range swaps {
		text.WriteString(out[done:s.from])
		text.WriteString(rename.Replace(s.with))
		done = s.to
	}
	text.WriteString(out[done:])
	return text.String()
}

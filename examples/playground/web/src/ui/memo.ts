import { Component, h, type ComponentType, type VNode } from "preact";

/** memo draws a component again only when same says that its properties differ; without it, when one does. */
export function memo<P extends object>(
  Inner: ComponentType<P>,
  same?: (a: P, b: P) => boolean,
): ComponentType<P> {
  const equal =
    same ??
    ((a, b) =>
      Object.keys({ ...a, ...b }).every((k) =>
        Object.is((a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k]),
      ));
  return class extends Component<P> {
    override shouldComponentUpdate(next: P) {
      return !equal(this.props as P, next);
    }
    render() {
      return h(Inner as ComponentType<any>, this.props) as VNode;
    }
  } as unknown as ComponentType<P>;
}

import { Component, createElement, type FunctionComponent } from 'preact';

/** A component that is rendered again only when one of its properties is another value. */
export function memo<P extends object>(render: FunctionComponent<P>) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now: Readonly<P> = this.props;
      const keys = new Set([...Object.keys(now), ...Object.keys(next)]) as Set<keyof P>;
      for (const key of keys) if (!Object.is(now[key], next[key])) return true;
      return false;
    }

    override render(props: P) {
      return createElement(render, props);
    }
  };
}

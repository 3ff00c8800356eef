import { afterAll, beforeAll, inject } from 'vitest';
import type { Ground } from '../locks/conformance.kinds.js';
import { StoreView } from '../support/store.view.js';
import { closeSource, sourceOf, type TopologySource } from '../support/topology/topology.source.js';

/** The deployment that all files of the project share, for the tests of the enclosing file. */
export function groundOn(kind: 'sentinel' | 'cluster'): () => Ground {
  let ground: { readonly source: TopologySource; readonly store: StoreView } | undefined;
  beforeAll(() => {
    const source = sourceOf(inject(kind));
    ground = { source, store: StoreView.at(source) };
  });
  afterAll(() => {
    if (ground === undefined) return;
    ground.store.close();
    closeSource(ground.source);
  });
  return () => {
    if (ground === undefined) throw new Error('there is no deployment outside of a test');
    return ground;
  };
}

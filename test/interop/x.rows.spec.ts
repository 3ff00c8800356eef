import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import type { NodeKind } from '../workers/interop/interop.protocol.js';
import { interopRows } from './interop.rows.js';
import { longestPause, overlaps, readSections, tokenFalls } from './lock.sections.js';

const stage = interopRows();

/** How long each kind is under load, in s: `INTEROP_LOAD` says it, 30 for a release. */
const SECONDS = Number(process.env['INTEROP_LOAD'] || 3);
const THREADS = 8;
const PROCESSES = 2;
const SCOPES = THREADS / PROCESSES;
const UNDER_LOAD = { timeout: scaled(SECONDS * 1000 + 30_000) };
const KINDS = ['reentrant', 'fair', 'write', 'fenced'] satisfies NodeKind[];

for (const [index, kind] of KINDS.entries()) {
  test(
    `X${index + 1} mixed load on a ${kind} lock: ${THREADS} threads of J, ${THREADS} scopes of N in ${PROCESSES} processes`,
    UNDER_LOAD,
    async () => {
      const { java, notes, observer } = stage();
      const name = `x:${kind}`;
      const counter = `counter:${name}`;
      const ms = SECONDS * 1000;
      const peers = await Promise.all(Array.from({ length: PROCESSES }, () => stage().nodePeer()));
      const from = Number(process.hrtime.bigint() / 1000n);
      const [byJava, byNode] = await Promise.all([
        Promise.all(
          Array.from({ length: THREADS }, () => java.owner().lock(kind, name).loop(counter, { ms })),
        ),
        Promise.all(peers.map((peer) => peer.ask({ do: 'loop', kind, name, counter, scopes: SCOPES, ms }))),
      ]);
      const ofJava = byJava.flat();
      const ofNode = byNode.flatMap(({ value }) => readSections(value));
      const sections = [...ofJava, ...ofNode];
      const pauses = [ofJava, ofNode].map((own) => longestPause(own, from).toFixed(0));
      notes.push(
        `${SECONDS} s: ${ofJava.length} holds of J, ${ofNode.length} of N; J was out for up to ${pauses[0]} ms, N ${pauses[1]} ms`,
      );
      expect(await observer.redis.get(counter)).toBe(`${sections.length}`);
      expect(overlaps(sections)).toBe(0);
      expect(Math.min(ofJava.length, ofNode.length)).toBeGreaterThan(0);
      expect(kind === 'fenced' ? tokenFalls(sections) : 0).toBe(0);
    },
  );
}

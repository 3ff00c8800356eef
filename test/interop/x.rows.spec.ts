import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import type { NodeKind } from '../workers/interop/interop.protocol.js';
import { interopRows } from './interop.rows.js';
import { longestPause, overlaps, readSections, tokenFalls, waitOf99 } from './lock.sections.js';

const stage = interopRows();

/** How long each kind is under load, in s: `INTEROP_LOAD` says it, 30 for a release. */
const SECONDS = Number(process.env['INTEROP_LOAD'] || 3);
const THREADS = 8;
const PROCESSES = 2;
const SCOPES = THREADS / PROCESSES;
const UNDER_LOAD = { timeout: scaled(SECONDS * 1000 + 30_000) };
/**
 * What the threads of J have at a lock whose processes of N wait in a queue: so much of half of the holds at least, and 99 of 100 waits at most,
 * in ms. In the first seconds a JVM is slow: a short load shows less.
 */
const TURNS = SECONDS < 10 ? { share: 0.05, wait: Infinity } : { share: 0.2, wait: scaled(250) };
/** At locks that wake all processes. */
const CHANCE = { share: 0, wait: Infinity };
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
      const wait = waitOf99(byJava);
      notes.push(
        `${SECONDS} s: ${ofJava.length} holds of J, ${ofNode.length} of N; J was out for up to ${pauses[0]} ms, N ${pauses[1]} ms; ` +
          `99 of 100 waits of J: up to ${wait.toFixed(0)} ms`,
      );
      expect(await observer.redis.get(counter)).toBe(`${sections.length}`);
      expect(overlaps(sections)).toBe(0);
      expect(ofNode.length).toBeGreaterThan(0);
      const turns = kind === 'reentrant' ? TURNS : CHANCE;
      expect(ofJava.length).toBeGreaterThan((sections.length / 2) * turns.share);
      expect(wait).toBeLessThanOrEqual(turns.wait);
      expect(kind === 'fenced' ? tokenFalls(sections) : 0).toBe(0);
    },
  );
}

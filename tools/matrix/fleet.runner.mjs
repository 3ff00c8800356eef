import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/**
 * A line of test/matrix/apps/fleet.member.ts.
 * @typedef {{ saw: 'tick', tick: number } | { saw: 'grant', token: string } | { saw: 'loss', isHeld: boolean } | { saw: 'end' }} Sighting
 */

/** Of the locks of a member, in ms. */
const LEASE = 3000;

/** How long anything may take, in ms. */
const WITHIN = 40_000 * Number(process.env['TEST_SLOWNESS'] || 1);

/** One process of the fleet. */
class Member {
  /** @type {Sighting[]} */
  sightings = [];
  /** What else it printed. */
  said = '';

  /**
   * @param {import('./runtimes.mjs').Runtime} runtime
   * @param {string} script
   * @param {NodeJS.ProcessEnv} env
   */
  constructor({ command, args }, script, env) {
    this.child = spawn(command, [...args, script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    /** @type {Promise<unknown>} */
    this.ended = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        if (line.startsWith('{"saw":')) this.sightings.push(JSON.parse(line));
        else this.said = `${this.said}\n${line}`.slice(-2000);
      });
  }

  /** @returns {string[]} */
  get tokens() {
    return this.sightings.flatMap((sighting) => (sighting.saw === 'grant' ? [sighting.token] : []));
  }

  /** @returns {number[]} */
  get ticks() {
    return this.sightings.flatMap((sighting) => (sighting.saw === 'tick' ? [sighting.tick] : []));
  }
}

/**
 * Two processes: a job, a lock that one holds and the other waits for, a loss, a killed holder, a shutdown.
 * @param {import('./runtimes.mjs').Runtime} runtime
 * @param {string} folder that of the applications in one format
 * @param {string} url of Redis
 * @param {NodeJS.ProcessEnv} extra
 * @returns {Promise<string>} what was seen
 */
export async function runFleet(runtime, folder, url, extra) {
  const redis = new Redis(url);
  const prefix = `matrix:${randomUUID()}:`;
  const env = { ...process.env, ...extra, REDIS_URL: url, MATRIX_PREFIX: prefix, NO_COLOR: '1' };
  const members = [0, 1].map(() => new Member(runtime, join(folder, 'fleet.member.js'), env));
  /** @param {string} what @param {() => boolean | Promise<boolean>} reached @param {number} [within] */
  const until = async (what, reached, within = WITHIN) => {
    const end = performance.now() + within;
    while (!(await reached())) {
      if (performance.now() > end)
        throw new Error(`not within ${within} ms: ${what}; ${members.map(({ said }) => said).join('\n')}`);
      await sleep(10);
    }
  };
  const ticks = () => members.flatMap((member) => member.ticks);
  const tokens = () => members.flatMap((member) => member.tokens);
  try {
    await until('three ticks, and a holder', () => ticks().length >= 3 && tokens().length === 1);
    // As by a forced unlock: the holder learns of it within a third of its lease.
    await redis.del(`${prefix}leader`);
    await until('a loss', () => members.some(({ sightings }) => sightings.some(({ saw }) => saw === 'loss')));
    assert.deepEqual(
      members.flatMap(({ sightings }) => sightings.filter(({ saw }) => saw === 'loss')),
      [{ saw: 'loss', isHeld: false }],
    );
    await until('a holder again', () => tokens().length >= 2);
    const holder = members.find(
      (member) => member.tokens.length > 0 && member.tokens.at(-1) === newest(tokens()),
    );
    const other = members.find((member) => member !== holder);
    assert.ok(holder !== undefined && other !== undefined);
    const before = other.tokens.length;
    const killedAt = performance.now();
    holder.child.kill('SIGKILL');
    await until('the waiting process has the lock', () => other.tokens.length > before);
    const waited = performance.now() - killedAt;
    assert.ok(waited < LEASE + WITHIN / 20, `the waiting process had the lock ${waited} ms after a kill`);
    const given = tokens();
    assert.equal(new Set(given).size, given.length, 'a token was given twice');
    assert.equal(other.tokens.at(-1), newest(given), 'a later holder has a lower token');
    const seen = other.ticks.length;
    await until('the job goes on', () => other.ticks.length >= seen + 2);
    other.child.kill('SIGTERM');
    await other.ended;
    assert.equal(
      other.child.exitCode ?? other.child.signalCode,
      other.child.exitCode === null ? 'SIGTERM' : 0,
    );
    assert.ok(
      other.sightings.some(({ saw }) => saw === 'end'),
      'the hooks of the shutdown did not run',
    );
    assert.equal(new Set(ticks()).size, ticks().length, 'a tick ran twice');
    assert.equal(await redis.exists(`${prefix}leader`, `${prefix}job`), 0, 'a lock was left');
    return 'each tick once; a lost lock aborts; after a kill the next holder at the end of the lease, with a higher token; nothing left at SIGTERM';
  } finally {
    for (const { child } of members) child.kill('SIGKILL');
    redis.disconnect();
  }
}

/** @param {readonly string[]} tokens */
function newest(tokens) {
  return tokens.toSorted((one, next) => Number(BigInt(next) - BigInt(one)))[0];
}

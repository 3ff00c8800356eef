import { amountOf } from './brief.mjs';

/** For how long each process locks and unlocks before each of its rounds, in ms. */
const MS = amountOf(2000);

/** Why it does: the rounds of the others take minutes, and meanwhile a process gives back its caches, and what was compiled. */
const WHY = 'A process that was idle while the others had their rounds is slow at first.';

/** What is said of callers in each other's way. */
export const WARM = `Before each round every process has locked and unlocked for ${MS / 1000} s. ${WHY}`;

/** What is said of those who are in nobody's. */
export const TWICE = `Before each round it has done the same once, not counted. ${WHY}`;

/** How often a process of one round only does what it is there for before it counts. */
const TIMES = 3;

/** What is said of those. */
export const NEW = `Each round is a process of its own, which has done the same ${TIMES} times before, not counted: two processes of one code differ by a twentieth for as long as they live, and the median is to be one of several. (That of Java goes on, and has compiled more each time.)`;

/**
 * Has a new process do what it is there for until it is compiled.
 * @param {(team: import('../bench.types.js').Team) => Promise<unknown>} work
 * @returns {(team: import('../bench.types.js').Team) => Promise<void>}
 */
export function untilCompiled(work) {
  return async (team) => {
    for (let time = 0; time < TIMES; time += 1) await work(team);
  };
}

/**
 * Callers of every process of a team take one lock again and again.
 * @param {import('../bench.types.js').Team} team
 * @param {number} callers of each process
 */
export function warmUp(team, callers) {
  return team.all('loop', { name: `${team.prefix}:warm`, callers, ms: MS, manner: team.manner });
}

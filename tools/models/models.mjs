/**
 * A piece of a model's text, and what takes its place.
 * @typedef {{ from: string, to: string }} Change `from` stands in the file exactly once
 */

/**
 * @typedef {object} Variant
 * @property {string} name
 * @property {readonly Change[]} changes
 */

/**
 * A model of `test/models/promela`, and what SPIN has to find in it.
 * @typedef {object} Model
 * @property {string} file
 * @property {string} about
 * @property {readonly (Variant & { walks?: string })[]} explorations in which nothing is violated; `walks`: the file of some ways through it
 * @property {readonly Change[]} calm makes faults rare, so that a walk by chance gets somewhere
 * @property {readonly (Variant & { violates: string | readonly string[] })[]} mutations defects, each with the invariants of which one finds it
 */

const RETRY = { from: '#define RETRY 0', to: '#define RETRY 1' };
const LATE_CALL = { from: '#define LATE_CALLS 0', to: '#define LATE_CALLS 1' };
/** A late call does leave something behind: docs/protocol.md says so. */
const MAY_LEAVE = {
  from: 'owner != 0 && !lapsed ->',
  to: 'false ->',
};
/** Another client of the operator: it costs the most states, and has nothing to do with late calls. */
const UNFORCED = { from: 'owner != 0 -> force(0)', to: 'false -> force(0)' };

/**
 * Faults that may happen once each in a model that has none by itself.
 * @param {readonly string[]} names
 * @returns {Change[]}
 */
const once = (...names) => names.map((name) => ({ from: `#define ${name} 0`, to: `#define ${name} 1` }));
const NOTHING_UNDER_WAY = 'the lock is free, one waits, and nothing is under way';
const NO_EAR = 'the lock is free, one has a place, and no ear is left';

/** Instead of a lock a semaphore. */
const TWO_PERMITS = { from: '#define PERMITS 1', to: '#define PERMITS 2' };

/** How many faults a walk has. */
const FAULTS = 6;

/** @type {readonly Model[]} */
export const MODELS = [
  {
    file: 'hold.pml',
    about: 'renewal, release and forced unlock, with lost replies',
    explorations: [
      { name: 'as it is', changes: [], walks: 'hold.walks.txt' },
      { name: 'with a call that runs after its undo', changes: [LATE_CALL, MAY_LEAVE, UNFORCED] },
    ],
    calm: [
      { from: 'byte owner, ttl;', to: 'byte faults, owner, ttl;' },
      { from: '!quiet(i) ->\n', to: `!quiet(i) && faults < ${FAULTS} -> faults++;\n` },
      { from: 'owner != 0 -> force(0)', to: `owner != 0 && faults < ${FAULTS} -> faults++; force(0)` },
      {
        from: 'phase[i] == asking -> phase[i] = freeing;',
        to: `phase[i] == asking && faults < ${FAULTS} -> faults++; phase[i] = freeing;`,
      },
    ],
    mutations: [
      {
        name: 'a release does not check the owner',
        changes: [
          {
            from: ':: owner == id -> free(); reply = released',
            to: ':: owner != 0 -> free(); reply = released',
          },
        ],
        violates: 'what an instance believes in is not in Redis',
      },
      {
        name: 'the local deadline counts from the reply',
        changes: [{ from: 'left[i] = LEASE - age[i];', to: 'left[i] = LEASE;' }],
        violates: 'what an instance believes in is not in Redis',
      },
      {
        name: 'a renewal does not check the owner',
        changes: [
          {
            from: ':: owner == id -> ttl = LEASE; reply = alive',
            to: ':: owner != 0 -> ttl = LEASE; reply = alive',
          },
        ],
        violates: ['what an instance believes in is not in Redis', 'a forced unlock is noticed too late'],
      },
      {
        name: 'a holder goes on when its renewal finds nothing',
        changes: [
          {
            from: ':: phase[i] == holding && reply == gone -> stop()',
            to: ':: phase[i] == holding && reply == gone -> renewing[i] = false; age[i] = 0',
          },
        ],
        violates: 'a forced unlock is noticed too late',
      },
      {
        name: 'an acquisition that is given up is not undone',
        changes: [
          {
            from: '-> phase[i] = freeing; age[i] = 0; printf("%c gives up',
            to: '-> stop(); printf("%c gives up',
          },
        ],
        violates: 'I5: something is left behind',
      },
      {
        name: 'a process has one holder id for ever, and a call is late',
        changes: [
          LATE_CALL,
          MAY_LEAVE,
          { from: 'id = 1; do :: refers(id) -> id++ :: else -> break od;', to: 'id = i + 1;' },
        ],
        violates: 'what an instance believes in is not in Redis',
      },
    ],
  },
  {
    file: 'tick.pml',
    about: 'claim, finish and hand-over of ticks, with crashes and lost replies',
    explorations: [
      { name: "onCrash 'skip'", changes: [], walks: 'tick.skip.walks.txt' },
      { name: "onCrash 'retry'", changes: [RETRY], walks: 'tick.retry.walks.txt' },
    ],
    calm: [
      { from: 'byte now,', to: 'byte faults, now,' },
      { from: '#define LEASE 2', to: '#define LEASE 6' },
      {
        from: 'wire[i] != off -> wire[i] = off;',
        to: `wire[i] != off && faults < ${FAULTS} -> faults++; wire[i] = off;`,
      },
      {
        from: 'phase[i] != idle -> printf("%c dies',
        to: `phase[i] != idle && faults < ${FAULTS} -> faults++; printf("%c dies`,
      },
    ],
    mutations: [
      {
        name: 'a claim does not move the mark',
        changes: [{ from: '      mark = wanted[i];\n', to: '' }],
        violates: 'an instant gets a second verdict',
      },
      {
        name: 'a run that died is not recorded',
        changes: [{ from: 'write(runTick, runAttempt, crashed); noRun()', to: 'noRun()' }],
        violates: 'the last run is not recorded',
      },
      {
        name: 'a tick that no instance claimed is not recorded',
        changes: [
          { from: ':: mark < wanted[i] - 1 -> write(wanted[i] - 1, 0, missed)', to: ':: false -> skip' },
        ],
        violates: 'a tick is lost',
      },
      {
        name: 'the local deadline of a run counts from the reply',
        changes: [{ from: 'left[i] = LEASE - age[i];', to: 'left[i] = LEASE;' }],
        violates: 'I1: two runs at the same time',
      },
      {
        name: 'a claim without a reply is repeated under a new holder id',
        changes: [
          {
            from: '        :: wire[i] = sent\n        :: giveUp()',
            to: '        :: newHolder(); wire[i] = sent',
          },
        ],
        violates: 'I5: something is left behind',
      },
      {
        name: 'a retried run is its first attempt again',
        changes: [RETRY, { from: 'grantRun(runTick, runAttempt + 1)', to: 'grantRun(runTick, runAttempt)' }],
        violates: 'a run that was broken off is not run again',
      },
      {
        name: 'a run that a shutdown broke off is not handed over',
        changes: [RETRY, { from: 'offTick = runTick; offAttempt = runAttempt + 1', to: 'skip' }],
        violates: 'a run that was broken off is not run again',
      },
    ],
  },
  {
    file: 'process-queue.pml',
    about:
      'the queue of processes as designed, with stops, crashes, lost messages, expiry and forced unlocks',
    explorations: [
      {
        name: 'no process fails, and no waiter is overtaken',
        changes: once('COUNTED', 'FORCES', 'JAVAS'),
      },
      { name: 'a stop, a crash, a loss', changes: once('STOPS', 'CRASHES', 'LOSSES') },
      { name: 'a stop, a slow process, a forced unlock', changes: once('STOPS', 'EARLY', 'FORCES') },
      { name: 'a crash, a loss, Java', changes: once('CRASHES', 'LOSSES', 'JAVAS') },
      { name: 'two permits, no process fails', changes: [TWO_PERMITS, ...once('FORCES', 'JAVAS')] },
      { name: 'two permits, a stop, a crash', changes: [TWO_PERMITS, ...once('STOPS', 'CRASHES')] },
      { name: 'two permits, a stop, a loss', changes: [TWO_PERMITS, ...once('STOPS', 'LOSSES')] },
    ],
    calm: [],
    mutations: [
      {
        name: 'a release notifies no process',
        changes: [
          {
            from: 'has[i] = false; mendEars(); tellHead();\n      if\n      :: places > 0 -> guard[i] = place[0];',
            to: 'has[i] = false; mendEars();\n      if\n      :: places > 0 ->',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'the head that was notified has no guard',
        changes: [
          ...once('STOPS'),
          {
            from: ':: places > 0 -> guard[i] = place[0]; if :: losses > 0',
            to: ':: places > 0 -> if :: losses > 0',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'a place is taken without a look at the lock',
        changes: [
          { from: '(places == 0 || place[0] == i || phase[i] == comes)', to: 'phase[i] == comes' },
          {
            from: 'if :: isFree -> guard[i] = place[0] :: else fi;\n    phase[i] = sleeps',
            to: 'phase[i] = sleeps',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'a grant of one of two permits notifies no process',
        changes: [
          TWO_PERMITS,
          {
            from: 'if :: isFree && places > 0 -> tellHead(); guard[i]',
            to: 'if :: false -> tellHead(); guard[i]',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'there is one ear',
        changes: [...once('STOPS', 'JAVAS'), { from: '#define EARS 2', to: '#define EARS 1' }],
        violates: [NOTHING_UNDER_WAY, NO_EAR],
      },
      {
        name: 'an ear subscribes and does not look again',
        changes: [
          ...once('JAVAS'),
          {
            from: 'phase[i] = (told[i] -> comes : asks);\n      if :: heard[i] && ears < EARS -> listens[i] = true :: else fi;',
            to: 'if :: heard[i] && ears < EARS && !listens[i] -> listens[i] = true; isEar[i] = true :: else -> phase[i] = (told[i] -> comes : asks) fi;',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'a waiter leaves and does not notify the next one',
        changes: [
          ...once('CRASHES'),
          {
            from: 'mendEars();\n      if :: isFree -> tellHead();',
            to: 'mendEars();\n      if :: false -> tellHead();',
          },
        ],
        violates: NOTHING_UNDER_WAY,
      },
      {
        name: 'a message does not name its place',
        changes: [
          ...once('COUNTED'),
          { from: '  told[i] = false; /* a message names the place for which it is */\n', to: '' },
        ],
        violates: 'a waiter is overtaken',
      },
      {
        name: 'a first attempt does not look at the queue',
        changes: [
          ...once('COUNTED'),
          {
            from: 'if :: isFree && places == 0 -> grant(i)',
            to: 'if :: isFree -> grant(i)',
          },
        ],
        violates: 'a waiter is overtaken',
      },
    ],
  },
];

/**
 * @param {string} text of a model
 * @param {Variant} variant
 * @returns {string} the text of the variant
 */
export function variantOf(text, { name, changes }) {
  return changes.reduce((changed, { from, to }) => {
    const parts = changed.split(from);
    if (parts.length !== 2) throw new Error(`"${name}": ${parts.length - 1} times in the model: ${from}`);
    return parts.join(to);
  }, text);
}

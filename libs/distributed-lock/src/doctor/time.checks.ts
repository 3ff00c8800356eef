import type { ServerPort } from '../connections/server.session.js';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { Finding } from '../startup/server.findings.js';

const CLOCK_SAMPLES = 5;
/** In ms; ticks follow the server's clock, so an offset does not affect them, but the comparison of logs. */
const TOLERATED_OFFSET = 1000;

const ROUND_TRIPS = 100;
/** The longest that they may take together, in ms. */
const LONGEST_SERIES = 2000;
/** In ms, of the 99th of 100: a tenth of the time limit of a command, and all of it. */
const SLOW = 100;
const TOO_SLOW = 1000;

/** This machine's clock and the server's, by the quickest of some answers. */
export async function checkClock(server: ServerPort): Promise<Finding> {
  const check = 'clock';
  let best = { offset: 0, error: Infinity };
  for (let sample = 0; sample < CLOCK_SAMPLES; sample += 1) {
    const [sent, asked] = [now(), machine.global.Date.now()];
    const reply = await server.ask('TIME');
    const error = (now() - sent) / 2;
    const [seconds, micros] = Array.isArray(reply) ? reply : [0, 0];
    if (error < best.error)
      best = { offset: Number(seconds) * 1000 + Number(micros) / 1000 - asked - error, error };
  }
  const text = `the server's clock is ${Math.abs(best.offset).toFixed(1)} ms ${best.offset < 0 ? 'behind' : 'ahead'} (± ${best.error.toFixed(1)} ms)`;
  return Math.abs(best.offset) - best.error <= TOLERATED_OFFSET
    ? { check, status: 'ok', text }
    : {
        check,
        status: 'warn',
        text,
        remedy: "Synchronise both clocks by NTP. Ticks go by the server's clock.",
      };
}

/** How long a round trip takes, one after the other. */
export async function checkRoundTrip(server: ServerPort): Promise<Finding> {
  const check = 'round-trip';
  const start = now();
  const times: number[] = [];
  while (times.length < ROUND_TRIPS && now() - start < LONGEST_SERIES) {
    const sent = now();
    await server.ask('PING');
    times.push(now() - sent);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0;
  const text = `p50 ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, max ${at(1).toFixed(2)} ms (${times.length} ×)`;
  if (at(0.99) < SLOW) return { check, status: 'ok', text };
  return {
    check,
    status: at(0.99) < TOO_SLOW ? 'warn' : 'fail',
    text,
    remedy:
      'Bring the application and Redis closer together, look for slow commands (SLOWLOG), or raise commandTimeout.',
  };
}

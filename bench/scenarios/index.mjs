/** The scenarios, in the order of the report. */
import { s2n, s8n } from './other.node.mjs';
import s1 from './s1.alone.mjs';
import s10 from './s10.readers.mjs';
import s11 from './s11.cluster.mjs';
import s12 from './s12.locks.mjs';
import s12w from './s12w.waiters.mjs';
import { s13, s13c, s13l, s13p, s13w } from './s13.fleet.mjs';
import s14 from './s14.handover.mjs';
import s15 from './s15.sizing.mjs';
import s2 from './s2.many.mjs';
import s3 from './s3.burst.mjs';
import s3l from './s3l.sustained.mjs';
import s4 from './s4.burst.mjs';
import s4h from './s4h.holds.mjs';
import s4l from './s4l.sustained.mjs';
import s5 from './s5.idle.mjs';
import s6 from './s6.renewals.mjs';
import s7 from './s7.memory.mjs';
import s8 from './s8.decorator.mjs';
import s8h from './s8h.handlers.mjs';
import s9 from './s9.ticks.mjs';

/** @type {readonly import('../bench.types.js').Scenario[]} */
export const SCENARIOS = [
  s1,
  s2,
  s2n,
  s3,
  s3l,
  s4,
  s4l,
  s4h,
  s5,
  s6,
  s7,
  s8,
  s8n,
  s8h,
  s9,
  s10,
  s11,
  s12,
  s12w,
  s13,
  s13l,
  s13c,
  s13p,
  s13w,
  s14,
  s15,
];

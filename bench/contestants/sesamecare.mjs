import { Redlock } from '@sesamecare-oss/redlock';
import { redlockOf } from './redlock.family.mjs';

/** @type {import('../bench.types.js').Open} */
export const open = async (url, settings) => redlockOf(Redlock, url, settings);

import { afterAll, beforeAll } from 'vitest';
import { scaled } from '../support/slowness.js';
import { BROKEN_PLACES } from './broken/broken.locks.js';
import { expectToBeFound, WORKERS } from './broken/broken.suite.js';
import { BreakableGround } from './faults/breakable.ground.js';

let ground: BreakableGround;

beforeAll(async () => {
  ground = await BreakableGround.open('standalone', WORKERS);
}, scaled(30_000));
afterAll(() => ground.close());

expectToBeFound(BROKEN_PLACES, () => ground);

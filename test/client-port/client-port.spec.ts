import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ADAPTERS } from './port.adapters.js';
import { PORT_CHECKS } from './port.checks.js';
import { portRoom } from './port.room.js';

const open = portRoom();

describe.each(ADAPTERS)('a client of $title', ({ template }) => {
  test.each(PORT_CHECKS)('$title', { timeout: scaled(20_000) }, async ({ run }) => {
    await expect(run(await open(template))).resolves.toBeUndefined();
  });
});

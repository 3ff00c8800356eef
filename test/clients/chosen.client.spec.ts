import { Logger } from '@nestjs/common';
import { createClient } from 'redis';
import { expect, inject, test, vi } from 'vitest';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { uniquePrefix } from '../support/services.js';

const SOURCES = [
  {
    title: 'says which package a URL takes',
    source: (url: string) => url,
    lines: [expect.stringMatching(/^Redis at \S+ is reached with the package "ioredis"\./)],
  },
  {
    title: 'says nothing of a client that was given',
    source: (url: string) => createClient({ url }),
    lines: [],
  },
];

test.each(SOURCES)('the boot $title', async ({ source, lines }) => {
  const debug = vi.spyOn(Logger.prototype, 'debug').mockReturnValue(undefined);
  const settings = readSettings({ namePrefix: uniquePrefix(), instanceInfo: false });
  const service = await openLockService(settings, source(inject('redisUrl')));
  await service.shutDown();
  expect(debug.mock.calls.map(([line]) => String(line))).toEqual(lines);
});

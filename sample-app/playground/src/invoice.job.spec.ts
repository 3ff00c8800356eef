import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { LockTestingControl, MemoryStore } from 'nestjs-distributed-lock/testing';
import { afterEach, expect, test } from 'vitest';
import { InstanceModule } from './instance.module.js';
import { InvoiceJob } from './invoice.job.js';

const store = new MemoryStore();
const started: { close(): Promise<void> }[] = [];

async function start(name: string) {
  const app = await Test.createTestingModule({ imports: [InstanceModule.on(store, name)] }).compile();
  started.push(app);
  return await app.init();
}

afterEach(() => Promise.all(started.splice(0).map((app) => app.close())));

test('of two instances, one sends the invoices of a tick', async () => {
  const [one, two] = [await start('one'), await start('two')];
  const [run] = await one.get(LockTestingControl).advanceTick('invoices');
  // The timers go on, and run other ticks.
  const tick = run && new Date(run.tick).toISOString();
  const ran = [...one.get(InvoiceJob).ran, ...two.get(InvoiceJob).ran];
  expect(ran.filter((each) => each === tick)).toHaveLength(1);
});

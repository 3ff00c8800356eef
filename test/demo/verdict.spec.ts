import type { TickRecord } from 'nestjs-distributed-lock';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../sample-app/demo/demo.types.js';
import { judge } from '../../sample-app/demo/verdict.mjs';
import { account, ACCOUNTS, at, good, LEASE, row, run } from './verdict.fixture.js';

function withRecord(n: number, record: TickRecord | undefined): Facts {
  const facts = good();
  const others = facts.records.filter(({ tick }) => tick !== at(n));
  return { ...facts, records: record ? [...others, record] : others };
}

/** The labels of the checks that are off. */
function complaints(facts: Facts): string[] {
  const { ok, checks } = judge(facts);
  const off = checks.filter((check) => !check.ok).map(({ label }) => label);
  expect(ok).toBe(off.length === 0);
  return off;
}

describe('the verdict of the demo', () => {
  it('is good when each tick ran once, crashed by our hand, or met the dead lease', () => {
    const { ok, checks } = judge(good());
    expect(ok).toBe(true);
    expect(checks[0]).toMatchObject({
      value: '6',
      detail: '= 4 completed + 1 crashed + 1 refused while the dead lease lived',
    });
    expect(checks.find(({ label }) => label === 'carried on')).toMatchObject({ value: 'instance-3' });
  });

  it('is bad when a tick was run twice, whatever the records say', () => {
    const facts = good();
    const twice = { ...facts, journal: [...facts.journal, ...run(4, 'instance-2')] };
    expect(complaints(twice)).toEqual(['run twice']);
  });

  it('is bad when a tick outside the window was run twice', () => {
    const facts = good();
    const twice = {
      ...facts,
      journal: [...run(-1, 'instance-1'), ...facts.journal, ...run(-1, 'instance-2')],
    };
    expect(complaints(twice)).toEqual(['run twice']);
  });

  it('is bad when a tick has no row', () => {
    const facts = withRecord(4, undefined);
    const idle = { ...facts, journal: facts.journal.filter(({ tick }) => tick !== at(4)) };
    expect(complaints(idle)).toEqual(['ticks expected', 'missed without a reason']);
  });

  it('is bad when a tick was missed, also with a reason: an instance was always there', () => {
    const facts = withRecord(4, row(4, 'missed'));
    const idle = { ...facts, journal: facts.journal.filter(({ tick }) => tick !== at(4)) };
    expect(complaints(idle)).toEqual(['ticks expected']);
  });

  it('reads a row of missed ticks as all instants of its gap', () => {
    const facts = good();
    const gap = row(4, 'missed', { after: at(2), reason: 'no instance claimed it' });
    const records = [...facts.records.filter(({ tick }) => tick < at(3)), gap, row(5, 'completed')];
    const [ticks] = judge({ ...facts, records }).checks;
    expect(ticks?.detail).toContain('2 missed');
  });

  it('is bad when a tick was refused after the dead lease was over', () => {
    const late = row(3, 'overlapped', { start: at(1) + 90 + LEASE + 101 });
    const facts = withRecord(3, late);
    const idle = { ...facts, journal: facts.journal.filter(({ tick }) => tick !== at(3)) };
    expect(complaints(idle)).toEqual(['ticks expected']);
  });

  it('accepts a refusal by a run that was longer than its period', () => {
    const facts = good();
    const long = row(4, 'completed', { end: at(5) + 100 });
    const records = [...facts.records.filter(({ tick }) => tick < at(4)), long, row(5, 'overlapped')];
    const journal = facts.journal.filter(({ tick }) => tick !== at(5));
    expect(complaints({ ...facts, records, journal })).toEqual([]);
  });

  it('is bad when a run never ended', () => {
    expect(complaints(withRecord(5, row(5, 'running')))).toEqual(['ticks expected']);
  });

  it('is bad when nothing crashed', () => {
    const facts = withRecord(1, row(1, 'completed'));
    const calm = { ...facts, kills: [], records: facts.records.filter(({ tick }) => tick !== at(2)) };
    expect(complaints(calm)).toContain('crashed');
  });

  it.each([0, ACCOUNTS.length])(
    'is bad when the killed run had charged %i accounts: it was not cut',
    (charged) => {
      const facts = good();
      const others = facts.journal.filter(({ tick }) => tick !== at(1));
      expect(complaints({ ...facts, journal: [...others, ...run(1, 'instance-2', charged)] })).toEqual([
        'crashed',
      ]);
    },
  );

  it('is bad when a run crashed without a kill', () => {
    expect(complaints(withRecord(4, row(4, 'crashed')))).toEqual(['crashed']);
  });

  it('is bad when no instance carried on', () => {
    const facts = good();
    const records = facts.records.filter(({ tick }) => tick <= at(2));
    expect(complaints({ ...facts, records })).toContain('carried on');
  });

  it('is bad when the records know of a run that the journal does not', () => {
    const facts = good();
    const journal = facts.journal.filter(({ tick }) => tick !== at(4));
    expect(complaints({ ...facts, journal })).toEqual(['journal against records']);
  });

  it.each([1, -1])('is bad when an account is off by %i cent', (cents) => {
    const accounts = [account('alice', { found: 825 + cents }), account('bob'), account('carol')];
    expect(complaints({ ...good(), accounts })).toEqual(['money expected']);
  });

  it('is bad when the errors of two accounts make up for each other', () => {
    const accounts = [account('alice', { found: 826 }), account('bob', { found: 824 }), account('carol')];
    expect(complaints({ ...good(), accounts })).toEqual(['money expected']);
  });

  it('is bad when a run stopped half-way without a kill', () => {
    const facts = good();
    const journal = facts.journal.filter(({ tick, event }) => tick !== at(5) || event !== 'finished');
    expect(complaints({ ...facts, journal })).toEqual(['journal against records']);
  });

  it('is bad when an instance logged an error', () => {
    expect(complaints({ ...good(), problems: ['instance-1: ERROR'] })).toEqual(['errors logged']);
  });

  it('judges a fleet without the library by its journal and its money', () => {
    const facts = { ...good(), library: false, records: [] };
    const journal = Array.from({ length: 6 }, (_, n) => [
      ...run(n, 'instance-1'),
      ...run(n, 'instance-2'),
    ]).flat();
    expect(complaints({ ...facts, journal })).toEqual(['ticks expected', 'run twice']);
  });
});

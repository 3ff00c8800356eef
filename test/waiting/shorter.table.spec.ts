import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_SCRIPTS } from '../support/all.scripts.js';
import { WAYS } from './shorter.ways.js';

const PAGE = new URL('../../docs/protocol.md', import.meta.url);

interface Row {
  readonly script: string;
  readonly answer: string;
  readonly message: string;
}

/** The rows of the table in docs/protocol.md, one for each script that they name. */
function rows(): Row[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('\n## A lease that becomes shorter\n');
  const [text = ''] = section.split('\n## ');
  return text.split('\n').flatMap((line) => {
    const [, names = '', answer = '', message = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const named = [...names.matchAll(/`([a-z]+\/[a-z-]+)`/g)];
    return named.map(([, script = '']) => ({ script, answer, message }));
  });
}

const named = rows();

test('docs/protocol.md states of every script, once, whether it can end a lease earlier', () => {
  const all = ALL_SCRIPTS.map(({ name }) => name);
  expect(named.map(({ script }) => script).toSorted()).toEqual(all.toSorted());
});

test('each answer has a reason, and each "yes" a message', () => {
  for (const { script, answer, message } of named) {
    expect(answer, script).toMatch(/^(?:yes|no): \S/);
    expect(message !== '', script).toBe(answer.startsWith('yes'));
  }
});

test('each script that can end a lease earlier is played against a live waiter, and no other one', () => {
  const shortening = named.filter(({ answer }) => answer.startsWith('yes')).map(({ script }) => script);
  const played = new Set(WAYS.flatMap((way) => way.scripts));
  expect([...played].toSorted()).toEqual(shortening.toSorted());
});

test('a script that is documented to read contains no command that writes', () => {
  const writes = /redis\.p?call\('(?:DEL|HDEL|HSET|SET|PEXPIRE|PEXPIREAT|ZADD|ZREM|INCRBY|DECRBY|LREM)'/;
  const readers = named.filter(({ answer }) => answer === 'no: they read').map(({ script }) => script);
  const writing = ALL_SCRIPTS.filter(({ name, text }) => readers.includes(name) && writes.test(text));
  expect(writing.map(({ name }) => name)).toEqual([]);
  expect(readers).not.toEqual([]);
});

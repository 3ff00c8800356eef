import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  BATCH_BODY,
  BATCH_HEADER,
  BODY,
  HEADER,
  OPEN_BODY,
  OPEN_HEADER,
  PARTS,
  problemsOf,
} from './script.fixture.js';
import { readScript } from './script.reader.mjs';

describe('a script whose body keeps to its header', () => {
  it('is read with the declared counts and the digest of its text', () => {
    const { script, problems } = readScript('reentrant/acquire', HEADER + BODY);
    expect(problems).toEqual([]);
    expect(script?.header).toMatchObject({
      batch: false,
      keys: [{ name: 'lock' }],
      args: [{}, { name: 'lease' }],
    });
    expect(script?.text.split('\n')[0]).toBe('local lock = KEYS[1]');
    expect(script?.sha1).toBe(
      createHash('sha1')
        .update(script?.text ?? '')
        .digest('hex'),
    );
  });

  it('may take many operations, with shared arguments first', () => {
    expect(problemsOf(BATCH_HEADER + BATCH_BODY)).toEqual([]);
  });

  it('may take any number of keys and arguments behind the declared ones', () => {
    expect(problemsOf(OPEN_HEADER + OPEN_BODY)).toEqual([]);
  });

  it('may have a way for an operation that comes alone, in front of the parts', () => {
    const front =
      "if #KEYS == 2 then\n  local holder = ARGV[2]\n  redis.call('HDEL', KEYS[1], holder)\nend\n-- @parts\n";
    const header = `${BATCH_HEADER}-- @include positive\n`;
    const rest = BATCH_BODY.replace('replies[i] = {1}', 'replies[i] = {positive(1)}');
    expect(problemsOf(header + front + rest)).toEqual([
      '13 KEYS[...] is not bound to a declared name: write "local <name> = KEYS[...]"',
    ]);
    const bound = front
      .replace("'HDEL', KEYS[1]", "'HDEL', lock")
      .replace('then\n', 'then\n  local lock = KEYS[1]\n');
    const { script, problems } = readScript('reentrant/release', header + bound + rest, PARTS);
    expect(problems).toEqual([]);
    expect(script?.text).toMatch(
      /^if #KEYS == 2 then\n[^]*end\nlocal function positive[^]*end\nlocal replies/,
    );
    expect(problemsOf(header + bound.replace('ARGV[2]', 'ARGV[3]') + rest)).toEqual([
      '13 "holder" reads ARGV[3], but the header puts it at ARGV[2]',
    ]);
    expect(
      problemsOf(header + bound.replace("redis.call('HDEL', lock, holder)", 'positive(holder)') + rest),
    ).toEqual(['14 "positive" is not defined']);
  });

  it('may step over its keys', () => {
    const body = BATCH_BODY.replace('#KEYS / 2 do', '#KEYS, 2 do')
      .replace('(i - 1) * 2 + 1', 'i')
      .replace('KEYS[i * 2 - 1]', 'KEYS[i]')
      .replace('KEYS[i * 2]', 'KEYS[i + 1]');
    expect(problemsOf(BATCH_HEADER + body)).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  BATCH_BODY,
  BATCH_HEADER,
  BODY,
  HEADER,
  OPEN_BODY,
  OPEN_HEADER,
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

  it('may step over its keys', () => {
    const body = BATCH_BODY.replace('#KEYS / 2 do', '#KEYS, 2 do')
      .replace('(i - 1) * 2 + 1', 'i')
      .replace('KEYS[i * 2 - 1]', 'KEYS[i]')
      .replace('KEYS[i * 2]', 'KEYS[i + 1]');
    expect(problemsOf(BATCH_HEADER + body)).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MODELS, variantOf } from './models.mjs';

const FOLDER = join(import.meta.dirname, '../../test/models/promela');

describe.each(MODELS)('$file', ({ file, explorations, mutations }) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');

  test.each([...explorations, ...mutations])('can be changed to "$name"', (variant) => {
    expect(variantOf(text, variant) === text).toBe(variant.changes.length === 0);
  });

  test.each(mutations)('has the invariant that finds "$name"', ({ violates }) => {
    for (const invariant of [violates].flat()) expect(text).toContain(`VIOLATED: ${invariant}\\n`);
  });

  test('names scripts that exist', () => {
    const scripts = [...text.matchAll(/\blua\/[a-z/-]+\.lua/g)].map(([path]) => path);
    expect(scripts.length).toBeGreaterThan(3);
    for (const script of scripts)
      expect(() => readFileSync(join(FOLDER, '../../..', script)), script).not.toThrow();
  });

  test('names classes that exist', () => {
    const sources = [...text.matchAll(/\b[a-z]+\/[a-z.]+\.ts/g)].map(([path]) => path);
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources.filter((path) => !path.startsWith('models/')))
      expect(
        () => readFileSync(join(FOLDER, '../../../libs/distributed-lock/src', source)),
        source,
      ).not.toThrow();
  });
});

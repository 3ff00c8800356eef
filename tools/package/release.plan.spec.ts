import { expect, test } from 'vitest';
import { entryOf } from './changelog.entry.mjs';
import { planRelease, readVersions } from './release.plan.mjs';

const FACTS = { version: '1.2.3', pending: [], published: ['1.2.2'] };

test('a version that is not on npm is published, once no change waits for a version', () => {
  expect(planRelease(FACTS)).toEqual({ publish: true, why: '1.2.3 is not on npm' });
  expect(planRelease({ ...FACTS, published: ['1.2.2', '1.2.3'] }).publish).toBe(false);
  expect(planRelease({ ...FACTS, pending: ['.changeset/a.md'] }).publish).toBe(false);
});

test('the first version of a package is left to its maintainers', () => {
  const { publish, why } = planRelease({ ...FACTS, published: undefined });
  expect(publish).toBe(false);
  expect(why).toContain('published by hand');
});

test('the answer of npm is read: several versions, a single one, an unknown package', () => {
  expect(readVersions({ ok: true, output: '["1.0.0","1.1.0"]' })).toEqual(['1.0.0', '1.1.0']);
  expect(readVersions({ ok: true, output: '"1.0.0"\n' })).toEqual(['1.0.0']);
  expect(readVersions({ ok: false, output: '{ "error": { "code": "E404" } }' })).toBeUndefined();
});

test('a registry that does not answer is no new package', () => {
  expect(() => readVersions({ ok: false, output: '{ "error": { "code": "ETIMEDOUT" } }' })).toThrow(
    'ETIMEDOUT',
  );
});

test('the notes of a release are the entry of its version', () => {
  const changelog =
    '# Changelog\n\n## 1.10.0\n\n- ten\n\n## [1.1.0] - 2026-01-31\n\n### Added\n\n- one\n\n## 1.0.0\n\n- zero\n';
  expect(entryOf(changelog, '1.1.0')).toBe('### Added\n\n- one');
  expect(entryOf(changelog, '1.0.0')).toBe('- zero');
  expect(entryOf(changelog, '1.1')).toBe('');
});

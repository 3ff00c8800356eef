import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PLACES = ['', 'libs/distributed-lock/src', 'test', 'tools'];

const pages = readdirSync(join(ROOT, 'docs/contributing'), { recursive: true, encoding: 'utf8' });

test.each([
  'CONTRIBUTING.md',
  ...pages.filter((page) => page.endsWith('.md')).map((page) => `docs/contributing/${page}`),
])('every file that %s names exists', (page) => {
  const named = [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:ts|mjs|lua))`/g),
  ];
  const missing = named
    .map(([, file = '']) => file)
    .filter((file) => !PLACES.some((place) => existsSync(join(ROOT, place, file))));
  expect(missing).toEqual([]);
});

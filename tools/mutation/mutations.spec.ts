import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MUTATIONS } from './mutations.mjs';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Suites that several spec files run. */
const SUITES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.suite.ts'))
  .map((file) => read(join('test', file)))
  .join('\n');

/** The project of vitest.config.ts that runs a file. */
function projectOf(spec: string): string {
  if (!spec.startsWith('test/')) return 'unit';
  if (spec.endsWith('.conformance.spec.ts')) return 'conformance';
  return spec.startsWith('test/interop/') ? 'interop' : 'integration';
}

/** Whether a source has a title, also one of a table, that the full name of a test ends with. */
function hasTitleOf(source: string, name: string): boolean {
  const words = name.split(' ');
  return words.some((_, index) => {
    const title = literal(words.slice(index).join(' '));
    return new RegExp(`(?:['"\`]|%s\\S* )${title}(?:%s)?['"\`]`).test(source.replaceAll('\\', ''));
  });
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  'the mutation "%s"',
  (_, { file, from, project = 'integration', spec, test: name }) => {
    test('changes text that stands in its file once', () => {
      expect(read(file).split(from)).toHaveLength(2);
    });

    test('names a test that exists, and the project that runs it', () => {
      expect(projectOf(spec)).toBe(project);
      expect(hasTitleOf(read(spec) + SUITES, name)).toBe(true);
    });
  },
);

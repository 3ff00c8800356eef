import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { PROGRAM_FOLDERS } from '../test/program.folders.mjs';
import { MUTATIONS } from './mutations.mjs';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Suites that several spec files run. */
const SUITES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.suite.ts'))
  .flatMap((file) => titlesOf(join('test', file)));

/** What may be a title in a file: each of its strings. What `test.each` or a template puts in may be anything. */
function titlesOf(file: string): RegExp[] {
  const titles: RegExp[] = [];
  const visit = (node: ts.Node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    const text = ts.isStringLiteralLike(node) ? node.text : node.getText().slice(1, -1);
    if (isText && /\w{3}/.test(text))
      titles.push(
        new RegExp(
          `^${text
            .split(/%[sdij]|\$\{[^}]*\}/)
            .map(literal)
            .join('.*')}$`,
        ),
      );
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true), visit);
  return titles;
}

/** The project of vitest.config.ts that runs a file. */
function projectOf(spec: string): string {
  if (!spec.startsWith('test/')) return 'unit';
  if (spec.endsWith('.conformance.spec.ts')) return 'conformance';
  const [, folder = ''] = spec.split('/');
  if (PROGRAM_FOLDERS.includes(folder)) return 'programs';
  if (folder === 'interop') return 'interop';
  return folder === 'models' || folder === 'simulation' ? folder : 'integration';
}

/** Whether the full name of a test is made of these titles, of its groups and its own. */
function isMadeOf(titles: readonly RegExp[], words: readonly string[]): boolean {
  return words.some((_, index) => {
    const title = words.slice(0, index + 1).join(' ');
    const rest = words.slice(index + 1);
    return titles.some((each) => each.test(title)) && (rest.length === 0 || isMadeOf(titles, rest));
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
      expect(isMadeOf([...titlesOf(spec), ...SUITES], name.split(' '))).toBe(true);
    });
  },
);

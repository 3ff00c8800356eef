import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { compileBlocks, findMissing } from './block.compiler.js';
import { readBlocks } from './code.blocks.js';
import { findBrokenCommands } from './named.commands.js';
import { anchorsOf, findBrokenLinks } from './page.links.js';
import type { Page } from './page.list.js';

function page(...lines: string[]): Page {
  return { path: 'docs/made-up.md', text: `${lines.join('\n')}\n` };
}

function block(note: string, ...code: string[]): string {
  return `\`\`\`ts${note}\n${code.join('\n')}\n\`\`\``;
}

describe('a block of code', () => {
  test(
    'is reported by its page and line when it does not compile',
    () => {
      const broken = page('# A page', '', block('', '// wrong.ts', "export const ttl: number = '30s';"));
      const { problems } = compileBlocks(readBlocks(broken), resolve('dist/docs/made-up'));
      expect(problems).toEqual([
        "docs/made-up.md:5 (wrong.ts): Type 'string' is not assignable to type 'number'.",
      ]);
    },
    scaled(30_000),
  );

  test('is refused without a file name, with the name of another one, and with an empty note', () => {
    expect(() => readBlocks(page(block('', 'export {};')))).toThrow('does not begin with its file name');
    const twice = page(block('', '// a.ts'), block('', '// a.ts'));
    expect(() => readBlocks(twice)).toThrow('two blocks are named a.ts');
    expect(() => readBlocks(page(block(' no-run', '// a.ts')))).toThrow(
      'neither "no-run: <why>" nor "other"',
    );
    expect(() => readBlocks(page('```typescript', '// a.ts', '```'))).toThrow('begins with ```ts');
  });

  test('names why it only compiles, or the package which may not be installed', () => {
    const [quiet, other] = readBlocks(
      page(
        block(' no-run: there are no such servers', '// a.ts'),
        block(' other', '// b.ts', "import x from 'no-such-package';"),
      ),
    );
    expect(quiet).toMatchObject({ use: 'no-run', reason: 'there are no such servers' });
    expect(other?.use).toBe('other');
    expect([...findMissing(other === undefined ? [] : [other]).values()]).toEqual(['no-such-package']);
  });
});

describe('a link', () => {
  test('to a file or a heading that is not there is found', () => {
    const broken = page(
      '# The one heading',
      '[a](no-such-page.md) [b](locks.md#no-such-heading) [c](#nowhere) [d](../../outside.md)',
      '[good](locks.md#which-lock-when), [here](#the-one-heading), [web](https://example.org), `[code](x.md)`',
    );
    expect(findBrokenLinks(broken)).toEqual([
      'docs/made-up.md: no-such-page.md is not there',
      'docs/made-up.md: locks.md#no-such-heading: no such heading',
      'docs/made-up.md: #nowhere: no such heading',
      'docs/made-up.md: ../../outside.md is not there',
    ]);
  });

  test('finds a heading by the name that GitHub gives it', () => {
    const text = '# `restartDelay`\n## What it does, and not\n## Twice\n## Twice\n## [a link](x.md) to it\n';
    expect([...anchorsOf(text)]).toEqual([
      'restartdelay',
      'what-it-does-and-not',
      'twice',
      'twice-1',
      'a-link-to-it',
    ]);
  });
});

test('a command that is not there is found, in a block and in a sentence', () => {
  const offer = { name: 'our-package', scripts: { build: '' }, bin: {}, schematics: undefined, help: '' };
  const named = page(
    '```sh',
    'npm run build && npm run no-such-script',
    'npx our-package doctor',
    'nest add our-package',
    '```',
    'or `npx no-such-tool`, `node tools/no-such-file.mjs`',
  );
  expect(findBrokenCommands(named, offer)).toEqual([
    'docs/made-up.md: there is no script "no-such-script"',
    'docs/made-up.md: the package has no command "our-package"',
    'docs/made-up.md: there is no collection for "nest add"',
    'docs/made-up.md: npx does not find "no-such-tool" here',
    'docs/made-up.md: there is no file tools/no-such-file.mjs',
  ]);
  const complete = { ...offer, bin: { 'our-package': 'cli.js' }, help: 'usage: our-package doctor | run' };
  const told = '`npx our-package undo`, `npx our-package doctor`, `npx our-package run a -- npm run theirs`';
  expect(findBrokenCommands(page(told), complete)).toEqual([
    'docs/made-up.md: "our-package undo" is not in its help',
  ]);
});

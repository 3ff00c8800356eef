import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = resolve('tools/workflows/keep-figures.sh');

let folder: string;
let clone: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'figures-'));
  clone = join(folder, 'clone');
  git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', 'origin');
  git(folder, 'clone', '--quiet', 'origin', 'clone');
  git(clone, 'switch', '--quiet', '--orphan', 'main');
  commit('first');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('figures are added to a branch of their own, beside those of other commits', () => {
  const first = keep('[1]\n');
  commit('second');
  const second = keep('[2]\n');
  const files = git(join(folder, 'origin'), 'ls-tree', '--name-only', 'benchmark-history').trim().split('\n');
  expect(files.map((file) => /-(?<commit>\w+)\.json$/.exec(file)?.groups?.['commit']).toSorted()).toEqual(
    [first, second].toSorted(),
  );
  const kept = files.map((file) => git(join(folder, 'origin'), 'show', `benchmark-history:${file}`));
  expect(kept.toSorted()).toEqual(['[1]\n', '[2]\n']);
});

test('the work tree and its branch are left alone', () => {
  keep('[1]\n');
  expect(git(clone, 'branch', '--show-current').trim()).toBe('main');
  expect(git(clone, 'status', '--porcelain')).toBe('');
  expect(git(clone, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
});

/** @returns the commit that the figures are of */
function keep(figures: string): string {
  const file = join(folder, 'figures.json');
  writeFileSync(file, figures);
  execFileSync('bash', [SCRIPT, file], { cwd: clone, stdio: 'pipe' });
  return git(clone, 'rev-parse', '--short=12', 'HEAD').trim();
}

function commit(text: string): void {
  writeFileSync(join(clone, 'file'), text);
  git(clone, 'add', 'file');
  git(clone, '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', text);
  git(clone, 'push', '--quiet', 'origin', 'main');
}

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

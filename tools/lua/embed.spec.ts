import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { embedLua } from './embed.mjs';
import { BODY, HEADER } from './script.fixture.js';

const EMBEDDED = 'libs/distributed-lock/src/scripts/generated/lua.scripts.ts';
const COMPILED = 'libs/distributed-lock/src/memory/generated/memory.scripts.ts';

let root: string;
const printed: string[] = [];
const print = (line: string) => printed.push(line);
const read = (file: string) => readFile(join(root, file), 'utf8');
const writeScript = (body: string) => writeFile(join(root, 'lua/kind/verb.lua'), HEADER + body);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'embed-'));
  await mkdir(join(root, 'lua/kind'), { recursive: true });
  await mkdir(join(root, 'lua/parts'));
  await writeScript(BODY);
  printed.length = 0;
});

afterEach(() => rm(root, { recursive: true }));

describe('embedLua', () => {
  test('makes the files that are missing, and leaves alone what is up to date', async () => {
    expect(await embedLua({ root, print })).toBe(true);
    expect(await read(EMBEDDED)).toContain('export const kindVerb = {');
    expect(await read(COMPILED)).toContain('// kindVerb');
    expect(await embedLua({ root, print })).toBe(true);
    expect(printed).toEqual(['1 Lua scripts embedded', 'the embedded Lua scripts are up to date']);
  });

  test('makes them again after a script has changed', async () => {
    await embedLua({ root, print });
    await writeScript(BODY.replace('return {1}', "return {1, 'changed'}"));
    await embedLua({ root, print });
    expect(await read(EMBEDDED)).toContain("return {1, 'changed'}");
    expect(await read(COMPILED)).toContain("'changed'");
  });

  test('makes them again after one of them was removed', async () => {
    await embedLua({ root, print });
    await rm(join(root, COMPILED));
    await embedLua({ root, print });
    expect(await read(COMPILED)).toContain('// kindVerb');
  });

  test('writes nothing of a script that is refused, and names it', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    await writeScript(BODY.replace('KEYS[1]', 'KEYS[2]'));
    expect(await embedLua({ root, print })).toBe(false);
    expect(error).toHaveBeenCalledWith(expect.stringContaining('lua/kind/verb.lua:'));
    await expect(read(EMBEDDED)).rejects.toThrow('ENOENT');
  });

  test('finds by its check a script that has changed, and a file that was changed by hand', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    await embedLua({ root, print });
    expect(await embedLua({ root, print, check: true })).toBe(true);
    const made = await read(COMPILED);
    await writeFile(join(root, COMPILED), `${made}// by hand\n`);
    expect(await embedLua({ root, print, check: true })).toBe(false);
    expect(error).toHaveBeenCalledWith(expect.stringContaining(COMPILED));
    expect(await embedLua({ root, print, always: true })).toBe(true);
    expect(await read(COMPILED)).toBe(made);
    await writeScript(`${BODY}\n-- a comment\n`);
    expect(await embedLua({ root, print, check: true })).toBe(false);
  });
});

describe('without the development dependencies', () => {
  const run = (...flags: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/lua/embed.mjs', ...flags], {
      cwd: root,
      encoding: 'utf8',
    });
    return { status, stderr };
  };

  beforeEach(() => cp('tools/lua', join(root, 'tools/lua'), { recursive: true }));

  test('an installation goes on, and names what it lacks', () => {
    expect(run('--prepare')).toEqual({ status: 0, stderr: expect.stringContaining('--omit=dev') });
  });

  test('a build fails', () => {
    expect(run()).toEqual({ status: 1, stderr: expect.stringContaining('--omit=dev') });
  });
});

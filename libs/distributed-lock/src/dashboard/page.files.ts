import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A static file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page is built into this folder of the package. */
const FOLDER = join('dist', 'page');

/** The files of the page: read once, when the first browser asks for one. */
export class PageFiles {
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  /**
   * @param path in the folder of the page
   * @returns undefined for a file that the page does not have
   * @throws Error if the package has no page
   */
  async find(path: string): Promise<PageFile | undefined> {
    this.#files ??= readFiles();
    try {
      return (await this.#files).get(path);
    } catch (error) {
      // The next request tries again.
      this.#files = undefined;
      throw error;
    }
  }
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = findFolder();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      found.map(async (entry): Promise<[string, PageFile]> => {
        const file = join(entry.parentPath, entry.name);
        const body = await readFile(file);
        const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 20)}"`;
        const type = TYPES[extname(file)] ?? 'application/octet-stream';
        return [file.slice(folder.length + 1).replaceAll('\\', '/'), { type, body, etag }];
      }),
    ),
  );
}

/** In the package, and in a checkout, it is the nearest one above this module. */
function findFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const page = join(folder, FOLDER);
    if (existsSync(join(page, 'index.html'))) return page;
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error(
        'The page of the dashboard is missing: its files were not packed with the application. Keep nestjs-distributed-lock out of the bundle, or copy its folder dist/page.',
      );
    folder = parent;
  }
}

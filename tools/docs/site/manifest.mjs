import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../build/node.runner.mjs';

/** @type {{ version: string, description: string, repository?: string | { url: string } }} */
export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const { repository: named } = manifest;

/** The address of the repository for a browser; undefined while package.json names none. */
export const repository = (typeof named === 'string' ? named : named?.url)
  ?.replace(/^git\+/, '')
  .replace(/\.git$/, '');

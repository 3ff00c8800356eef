import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { findChangesets } from './pending.changesets.mjs';

/**
 * What package.json says that a publish depends on.
 * @typedef {object} PublishedManifest
 * @property {string} name
 * @property {string} version
 * @property {string} [license]
 * @property {string | { url?: string }} [repository]
 * @property {string | { url?: string }} [bugs]
 * @property {string} [homepage]
 * @property {{ provenance?: boolean }} [publishConfig]
 */

/**
 * What the repository holds. A file that is not there is undefined.
 * @typedef {object} PublishState
 * @property {PublishedManifest} manifest
 * @property {string | undefined} lockedVersion the version of the package in package-lock.json
 * @property {string | undefined} changelog
 * @property {string | undefined} license
 * @property {string | undefined} readme
 * @property {string | undefined} owners CODEOWNERS, from one of the places in which GitHub finds it
 * @property {readonly string[]} pending files of changes that no version has yet
 * @property {readonly string[]} uncommitted lines of `git status --porcelain`
 * @property {string | undefined} builtFrom `owner/name` of the repository that a workflow builds; undefined outside of workflows
 */

/** Where GitHub finds the file, the first place first. */
const OWNERS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/**
 * @param {string} root
 * @returns {Promise<PublishState>}
 */
export async function readState(root) {
  /** @param {string} file */
  const read = (file) => readFile(join(root, file), 'utf8').catch(() => undefined);
  const lock = await read('package-lock.json');
  const owners = await Promise.all(OWNERS.map(read));
  return {
    manifest: JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
    lockedVersion: lock === undefined ? undefined : JSON.parse(lock).version,
    changelog: await read('CHANGELOG.md'),
    license: await read('LICENSE'),
    readme: await read('README.md'),
    owners: owners.find((text) => text !== undefined),
    pending: await findChangesets(root),
    uncommitted: await readUncommitted(root),
    builtFrom: process.env['GITHUB_REPOSITORY'],
  };
}

/** @param {string} root */
async function readUncommitted(root) {
  const { ok, output } = await runCommand('git', ['status', '--porcelain'], { cwd: root });
  if (!ok) return [`git status failed: ${output.trim()}`];
  return output.split('\n').filter((line) => line !== '');
}

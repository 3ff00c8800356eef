import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { install } from '../matrix/installs.mjs';
import { runCommand } from '../redis/command.runner.mjs';

/**
 * A Node to run something on, or why it cannot be had.
 * @typedef {{ what: string, path: string } | { what: string, reason: string }} FoundNode
 */

/**
 * The newest Node of a major version, from the packages of the npm registry that contain its binary.
 * @param {string} major
 * @returns {Promise<FoundNode>}
 */
export async function findNode(major) {
  const what = `Node ${major}`;
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  try {
    const folder = await install(`node-${major}`, [`${name}@${major}`], false);
    const path = join(folder, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
    await access(path);
    const { ok, output } = await runCommand(path, ['--version']);
    if (!ok) return { what, reason: firstLineOf(output) };
    return { what: `Node ${output.trim().replace(/^v/, '')}`, path };
  } catch (error) {
    return { what, reason: firstLineOf(String(error)) };
  }
}

/** @param {string} text */
function firstLineOf(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, 2).join(' ').slice(0, 300);
}

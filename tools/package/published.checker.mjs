import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * What publint and arethetypeswrong have against a tarball, whose declarations have to be found in every way, `node10` too.
 * @param {string} file
 * @returns {Promise<string[]>}
 */
export async function checkPublished(file) {
  const { buffer } = new Uint8Array(await readFile(file));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  const types = await checkPackage(createPackageFromTarballData(new Uint8Array(buffer)));
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...(types.types
      ? types.problems.map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`)
      : ['arethetypeswrong: no types']),
  ];
}

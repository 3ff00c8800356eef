/**
 * Whether the release workflow publishes the version in package.json.
 * @param {object} facts
 * @param {string} facts.version
 * @param {readonly string[]} facts.pending files of changes that no version has yet
 * @param {readonly string[] | undefined} facts.published versions on npm; undefined: npm does not know the package
 * @returns {{ publish: boolean, why: string }}
 */
export function planRelease({ version, pending, published }) {
  if (pending.length > 0)
    return { publish: false, why: `the pull request of the next version collects ${pending.join(', ')}` };
  if (published === undefined)
    return {
      publish: false,
      why: 'npm does not know the package: the first version is published by hand, see "A release" in CONTRIBUTING.md',
    };
  if (published.includes(version)) return { publish: false, why: `${version} is on npm` };
  return { publish: true, why: `${version} is not on npm` };
}

/**
 * Reads the answer of `npm view NAME versions --json`.
 * @param {{ ok: boolean, output: string }} answer
 * @returns {readonly string[] | undefined} undefined if npm does not know the package
 * @throws if npm could not answer, so that a lost connection does not look like a new package
 */
export function readVersions({ ok, output }) {
  if (ok) {
    /** @type {unknown} */
    const versions = JSON.parse(output);
    return [versions].flat().map(String);
  }
  if (/\bE404\b/.test(output)) return undefined;
  throw new Error(`npm view failed:\n${output}`);
}

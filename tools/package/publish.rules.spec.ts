import { expect, test } from 'vitest';
import { findMissing } from './publish.rules.mjs';
import type { PublishedManifest, PublishState } from './publish.state.mjs';

const MANIFEST: PublishedManifest = {
  name: 'a-library',
  version: '1.2.3',
  license: 'MIT',
  repository: { url: 'git+https://github.com/owner/name.git' },
  bugs: { url: 'https://github.com/owner/name/issues' },
  homepage: 'https://github.com/owner/name#readme',
  publishConfig: { provenance: true },
};
const SOUND: PublishState = {
  manifest: MANIFEST,
  lockedVersion: '1.2.3',
  changelog: '# Changelog\n\n## 1.2.3\n\n### Patch Changes\n\n- It works.\n\n## 1.2.2\n\n- It did not.\n',
  license: 'MIT License\n',
  readme: '[guide](docs/guide.md) [web](https://example.org) [below](#below)',
  owners: '# the maintainers\n* @owner/team\n',
  pending: [],
  uncommitted: [],
  builtFrom: 'owner/name',
};

test('nothing is missing where all is there', () => {
  expect(findMissing(SOUND)).toEqual([]);
});

test.for([
  'github:owner/name',
  'owner/name',
  'https://github.com/Owner/Name',
  'git@github.com:owner/name.git',
])('a repository may be written as %s', (repository) => {
  expect(findMissing(withManifest({ repository }))).toEqual([]);
});

test.for<[string, string, PublishState, string]>([
  [
    'repository',
    'the example',
    withManifest(
      { repository: 'git+https://github.com/OWNER/NAME.git', publishConfig: {} },
      { readme: 'no links' },
    ),
    'no "repository"',
  ],
  [
    'repository',
    'elsewhere',
    withManifest({ repository: 'https://example.org/a.git' }, { readme: 'no links' }),
    'no repository on GitHub',
  ],
  ['repository', 'of another build', { ...SOUND, builtFrom: 'fork/name' }, 'this build is of fork/name'],
  ['bugs', 'none', without('bugs'), 'no "bugs"'],
  ['bugs', 'the example', withManifest({ bugs: 'https://github.com/OWNER/NAME/issues' }), 'no "bugs"'],
  ['homepage', 'none', without('homepage'), 'no "homepage"'],
  ['version', '0.0.0', withVersion('0.0.0'), '"0.0.0" is none that can be released'],
  ['version', 'no version', withVersion('next'), '"next" is none that can be released'],
  ['version', 'another in the lock file', { ...SOUND, lockedVersion: '1.2.2' }, 'package-lock.json 1.2.2'],
  ['version', 'none in the lock file', { ...SOUND, lockedVersion: undefined }, 'package-lock.json none'],
  ['changesets', 'pending', { ...SOUND, pending: ['.changeset/a.md'] }, 'does not contain .changeset/a.md'],
  ['changelog', 'no file', { ...SOUND, changelog: undefined }, 'no entry for 1.2.3'],
  ['changelog', 'of another version', { ...SOUND, changelog: '## 1.2.30\n\n- a\n' }, 'no entry for 1.2.3'],
  ['changelog', 'not released', { ...SOUND, changelog: '## [Unreleased]\n\n- a\n' }, 'no entry for 1.2.3'],
  ['changelog', 'empty', { ...SOUND, changelog: '## [1.2.3] - today\n\n## 1.2.2\n' }, 'no entry for 1.2.3'],
  [
    'changelog',
    'left behind',
    { ...SOUND, changelog: `${SOUND.changelog}\n## [Unreleased]\n\n- a\n` },
    'changes below "Unreleased"',
  ],
  ['license', 'no file', { ...SOUND, license: undefined }, 'no text in LICENSE'],
  ['license', 'not named', without('license'), 'package.json has no "license"'],
  ['readme', 'no file', { ...SOUND, readme: undefined }, 'no README.md'],
  ['owners', 'no file', { ...SOUND, owners: undefined }, 'no CODEOWNERS names an owner'],
  ['owners', 'only a comment', { ...SOUND, owners: '# * @owner\n' }, 'no CODEOWNERS names an owner'],
  ['owners', 'the example', { ...SOUND, owners: '* @OWNER\n' }, 'no CODEOWNERS names an owner'],
  ['owners', 'a pattern alone', { ...SOUND, owners: '*\n' }, 'no CODEOWNERS names an owner'],
  ['tree', 'changes', { ...SOUND, uncommitted: [' M README.md', '?? a'] }, ' M README.md, ?? a'],
])('the rule "%s" finds a planted fault: %s', ([rule, , state, fault]) => {
  const [first, ...others] = findMissing(state);
  expect(others).toEqual([]);
  expect(first).toEqual({ rule, fault: expect.stringContaining(fault), remedy: expect.stringMatching(/\w/) });
});

test('without a repository provenance and the links of the README are missing as well', () => {
  expect(findMissing(without('repository')).map(({ rule, fault }) => `${rule}: ${fault}`)).toEqual([
    expect.stringContaining('repository: package.json has no "repository"'),
    expect.stringContaining('provenance: "publishConfig.provenance" is set without a "repository"'),
    'readme: relative links of README.md are dead on npm without a repository: 1, such as docs/guide.md',
  ]);
});

test('links of code, and those with an address, are not dead', () => {
  const readme = '```md\n[a](b.md)\n```\n`[c](d.md)` [e](mailto:a@b.c) <img src="https://a.b/c.svg">';
  const { repository: _, publishConfig: _config, ...manifest } = MANIFEST;
  expect(findMissing({ ...SOUND, manifest, readme }).map(({ rule }) => rule)).toEqual(['repository']);
  const image = `${readme} <img src="docs/a.svg"> [f](g.md)`;
  expect(findMissing({ ...SOUND, manifest, readme: image })[1]?.fault).toContain(
    ': 2, such as docs/a.svg, g.md',
  );
});

function withManifest(part: Partial<PublishedManifest>, rest: Partial<PublishState> = {}): PublishState {
  return { ...SOUND, ...rest, manifest: { ...MANIFEST, ...part } };
}

function withVersion(version: string): PublishState {
  const state = withManifest({ version });
  return { ...state, lockedVersion: version, changelog: `## ${version}\n\n- a\n` };
}

function without(field: 'repository' | 'bugs' | 'homepage' | 'license'): PublishState {
  const { [field]: _, ...manifest } = MANIFEST;
  return { ...SOUND, manifest };
}

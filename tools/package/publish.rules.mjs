import { entryOf } from './changelog.entry.mjs';

/** @typedef {import('./publish.state.mjs').PublishState} PublishState */

/** @typedef {{ rule: string, fault: string, remedy: string }} Missing */

/** @typedef {{ fault: string, remedy: string }} Finding */

/**
 * What has to be there before a version is published. A rule answers with what is missing, or undefined.
 * @type {Readonly<Record<string, (state: PublishState) => Finding | undefined>>}
 */
const RULES = {
  repository: checkRepository,
  provenance: checkProvenance,
  bugs: ({ manifest: { bugs } }) =>
    urlOf(bugs) === undefined
      ? {
          fault: 'package.json has no "bugs": npm shows no address for reports',
          remedy: 'npm pkg set bugs.url=https://github.com/OWNER/NAME/issues',
        }
      : undefined,
  homepage: ({ manifest: { homepage } }) =>
    urlOf(homepage) === undefined
      ? {
          fault: 'package.json has no "homepage": npm links no documentation',
          remedy: "npm pkg set 'homepage=https://github.com/OWNER/NAME#readme'",
        }
      : undefined,
  version: checkVersion,
  changesets: ({ pending }) =>
    pending.length > 0
      ? {
          fault: `the version does not contain ${pending.join(', ')}`,
          remedy: 'npm run changeset:version, then commit',
        }
      : undefined,
  changelog: checkChangelog,
  license: ({ license = '', manifest }) =>
    license.trim() === '' || manifest.license === undefined
      ? {
          fault:
            manifest.license === undefined ? 'package.json has no "license"' : 'there is no text in LICENSE',
          remedy: 'name the license in package.json, and keep its text in LICENSE',
        }
      : undefined,
  readme: checkReadme,
  owners: ({ owners = '' }) =>
    /^[^#\s]\S*\s+\S*@(?!OWNER\b)\w/m.test(owners)
      ? undefined
      : {
          fault: 'no CODEOWNERS names an owner: no review is requested for a change',
          remedy: 'write "* @OWNER" into .github/CODEOWNERS, with the account or the team of the maintainers',
        },
  tree: ({ uncommitted }) =>
    uncommitted.length > 0
      ? {
          fault: `the work tree is not what is committed: ${uncommitted.slice(0, 5).join(', ')}${uncommitted.length > 5 ? ', …' : ''}`,
          remedy: 'commit, or "git stash --include-untracked"',
        }
      : undefined,
};

/**
 * @param {PublishState} state
 * @returns {Missing[]} in the order of the rules
 */
export function findMissing(state) {
  return Object.entries(RULES).flatMap(([rule, check]) => {
    const finding = check(state);
    return finding === undefined ? [] : [{ rule, ...finding }];
  });
}

/** @param {PublishState} state @returns {Finding | undefined} */
function checkRepository({ manifest: { repository }, builtFrom }) {
  const remedy = 'npm pkg set repository.type=git repository.url=git+https://github.com/OWNER/NAME.git';
  const url = urlOf(repository);
  if (url === undefined)
    return {
      fault:
        'package.json has no "repository": npm links no source, and a trusted publisher and provenance need it',
      remedy,
    };
  const place = placeOf(url);
  if (place === undefined)
    return { fault: `"repository" of package.json is ${url}, no repository on GitHub`, remedy };
  if (builtFrom !== undefined && builtFrom.toLowerCase() !== place.toLowerCase())
    return {
      fault: `"repository" of package.json is ${place}, and this build is of ${builtFrom}: npm refuses its provenance`,
      remedy: `npm pkg set repository.url=git+https://github.com/${builtFrom}.git`,
    };
  return undefined;
}

/** @param {PublishState} state @returns {Finding | undefined} */
function checkProvenance({ manifest: { publishConfig, repository } }) {
  if (publishConfig?.provenance !== true || urlOf(repository) !== undefined) return undefined;
  return {
    fault: '"publishConfig.provenance" is set without a "repository": npm refuses to publish',
    remedy: 'npm pkg delete publishConfig.provenance: the release workflow asks for provenance itself',
  };
}

/** @param {PublishState} state @returns {Finding | undefined} */
function checkVersion({ manifest: { version }, lockedVersion }) {
  if (!/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version) || version === '0.0.0')
    return {
      fault: `the version "${version}" is none that can be released`,
      remedy: 'npm version 0.1.0 --no-git-tag-version, or a later one',
    };
  if (lockedVersion !== version)
    return {
      fault: `package.json has the version ${version}, package-lock.json ${lockedVersion ?? 'none'}`,
      remedy: `npm version ${version} --no-git-tag-version --allow-same-version`,
    };
  return undefined;
}

/** @param {PublishState} state @returns {Finding | undefined} */
function checkChangelog({ changelog = '', manifest: { version } }) {
  if (entryOf(changelog, version) === '')
    return {
      fault: `CHANGELOG.md has no entry for ${version}`,
      remedy: `write it below a heading "## [${version}] - <date>"; before the first version, "## [Unreleased]" becomes this heading`,
    };
  if (entryOf(changelog, 'Unreleased') !== '')
    return {
      fault: 'CHANGELOG.md has changes below "Unreleased"',
      remedy: `move them to the entry of ${version}, or to files in .changeset/`,
    };
  return undefined;
}

/** npm resolves the links of a page against the repository. @param {PublishState} state @returns {Finding | undefined} */
function checkReadme({ readme, manifest: { repository } }) {
  if (readme === undefined)
    return { fault: 'there is no README.md: the page on npm is empty', remedy: 'write README.md' };
  if (placeOf(urlOf(repository) ?? '') !== undefined) return undefined;
  const links = relativeLinksOf(readme);
  if (links.length === 0) return undefined;
  return {
    fault: `relative links of README.md are dead on npm without a repository: ${links.length}, such as ${links.slice(0, 3).join(', ')}`,
    remedy: 'add "repository": npm then resolves them against it',
  };
}

/**
 * Targets without an address of their own, each once.
 * @param {string} page
 */
function relativeLinksOf(page) {
  const prose = page.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\((?<markdown>[^)\s]+)|\b(?:src|href)="(?<html>[^"]+)"/g)].map(
    ({ groups }) => groups?.['markdown'] ?? groups?.['html'] ?? '',
  );
  return [...new Set(targets.filter((target) => !/^(?:[a-z][a-z+.-]*:|#|\/\/)/i.test(target)))];
}

/**
 * The address in a field; undefined also for that of a remedy, in which OWNER stands for the owner.
 * @param {string | { url?: string } | undefined} value
 * @returns {string | undefined}
 */
function urlOf(value) {
  const url = typeof value === 'string' ? value : value?.url;
  return url === undefined || url === '' || /\bOWNER\b/.test(url) ? undefined : url;
}

/**
 * `owner/name` of a repository on GitHub.
 * @param {string} url in one of the forms that npm takes
 * @returns {string | undefined}
 */
function placeOf(url) {
  const form =
    /^(?:(?:git\+)?(?:https|ssh):\/\/(?:git@)?github\.com\/|git@github\.com:|github:)?(?<place>[\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/;
  return form.exec(url)?.groups?.['place'];
}

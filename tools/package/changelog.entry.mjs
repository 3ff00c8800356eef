/**
 * What the changelog says of a version: the lines below its heading, `## 1.2.3` or `## [1.2.3] - 2026-01-31`.
 * @param {string} changelog
 * @param {string} version
 * @returns {string} without the heading; empty if there is no heading, or nothing below it
 */
export function entryOf(changelog, version) {
  const sections = changelog.split(/^## +/m).slice(1);
  const section = sections.find((text) => /^\[?(?<named>[^\]\s]+)/.exec(text)?.groups?.['named'] === version);
  return section === undefined ? '' : section.slice(section.search(/\n|$/)).trim();
}

/**
 * The anchor of a heading, as GitHub makes it: links between pages work there and on the site alike.
 * @param {string} heading its text, without the marks of code and links
 */
export function githubSlug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

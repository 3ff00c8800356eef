import { relative } from 'node:path';
import { ROOT } from '../../build/node.runner.mjs';
import { resolveLink } from './page.map.mjs';

/** @typedef {{ type: string, content: string, attrGet(name: string): string | null, attrSet(name: string, value: string): void, children: Token[] | null }} Token */
/** @typedef {{ tokens: Token[], env: { path?: string, realPath?: string } }} State */
/** @typedef {{ core: { ruler: { push(name: string, rule: (state: State) => void): void } } }} MarkdownIt */

/**
 * A plugin of markdown-it: pages link to files of the repository, as GitHub wants it; on the site these links lead to the pages of
 * the site. A link to a file that is no page leads to the repository, or is plain text while the repository has no address.
 * @param {MarkdownIt} markdown
 * @param {{ repository: string | undefined }} options
 */
export function repositoryLinks(markdown, { repository }) {
  markdown.core.ruler.push('repository_links', ({ tokens, env }) => {
    const file = env.realPath ?? env.path;
    if (file === undefined) return;
    const from = relative(ROOT, file).replaceAll('\\', '/');
    for (const { children } of tokens) if (children !== null) linkToSite(children, from, repository);
  });
}

/**
 * @param {Token[]} tokens of one paragraph or heading
 * @param {string} from
 * @param {string | undefined} repository
 */
function linkToSite(tokens, from, repository) {
  let isPlain = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const found = resolveLink(from, token.attrGet('href') ?? '');
      isPlain = found !== null && 'file' in found && repository === undefined;
      if (found === null) continue;
      if ('address' in found) token.attrSet('href', `/${found.address}.md${found.anchor}`);
      else if (!isPlain) token.attrSet('href', `${repository}/blob/main/${found.file}`);
    }
    if (isPlain && /^link_(?:open|close)$/.test(token.type)) {
      if (token.type === 'link_close') isPlain = false;
      token.type = 'text';
      token.content = '';
    }
  }
}

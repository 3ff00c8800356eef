/** The site of the documentation: "npm run docs:site" builds it into dist/site, and "npm run docs:site -- --serve" shows it while pages change. */
import { githubSlug } from '../../github.slug.mjs';
import { diagrams } from '../diagrams.mjs';
import { ADDRESSES, GROUPS, PAGES } from '../page.map.mjs';
import { repositoryLinks } from '../repository.links.mjs';
import { manifest, repository } from '../manifest.mjs';

const BASE = process.env['SITE_BASE'] ?? '/';
const addressOf = new Map(PAGES.map(({ path, address }) => [path, `/${address}`]));
const links = (group) => group.pages.map(({ path, title }) => ({ text: title, link: addressOf.get(path) }));

export default {
  title: 'nestjs-distributed-lock',
  description: manifest.description,
  lang: 'en',
  base: BASE,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }]],
  srcDir: '../../..',
  outDir: '../../../dist/site',
  cacheDir: '../../../dist/.cache/site',
  // The repository's root has pages of its own; what is no page of the site stays outside.
  srcExclude: [
    '{dist,libs,lua,test,bench,schematics,coverage}/**',
    '.*/**',
    'tools/!(docs)/**',
    'tools/docs/node_modules/**',
  ],
  rewrites: (path) => (ADDRESSES.has(path) ? `${ADDRESSES.get(path)}.md` : path),
  // The reference of the types is made beside the pages, after them.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    linkify: false,
    anchor: { slugify: githubSlug },
    config(markdown) {
      markdown.use(repositoryLinks, { repository });
      markdown.use(diagrams);
    },
  },
  themeConfig: {
    siteTitle: 'nestjs-distributed-lock',
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          searchOptions: { fuzzy: 0.1, prefix: true, boost: { title: 6, titles: 2, text: 1 } },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      ...GROUPS.map((group) => ({ text: group.title, link: links(group)[0]?.link })),
      { text: 'API', link: '/api/index.html', target: '_self' },
      {
        text: `v${manifest.version}`,
        items: [
          { text: 'Changelog', link: '/reference/changelog' },
          { text: 'Upgrading', link: '/operate/upgrading' },
          { text: 'Supported versions', link: '/reference/support' },
        ],
      },
    ],
    sidebar: GROUPS.map((group) => ({
      text: group.title,
      collapsed: group.title === 'Internals',
      items: links(group),
    })),
    docFooter: { prev: 'Previous page', next: 'Next page' },
    ...(repository === undefined ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
  },
};

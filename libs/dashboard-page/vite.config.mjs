import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * One script and one stylesheet with fixed names: the dashboard serves them below any path, and sends an ETag. `public/` has what is
 * copied as it is, index.html among it: the dashboard fills in the root of its links.
 */
export default defineConfig({
  root: at('.'),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('../../dist/page'),
    emptyOutDir: true,
    sourcemap: false,
    minify: true,
    // Browsers that know light-dark().
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    // The content security policy of the page refuses data: URLs.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      input: at('src/main.tsx'),
      output: { entryFileNames: 'assets/board.js', assetFileNames: 'assets/board[extname]' },
    },
  },
});

import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embedLua } from './embed.mjs';

const FOLDER = join(fileURLToPath(new URL('../..', import.meta.url)), 'lua') + sep;

/**
 * Tests run the scripts that stand in lua/, without a build: when vitest starts, and when a script changes while it watches.
 * @returns {import('vitest/config').Plugin}
 */
export function embeddedLua() {
  const print = () => undefined;
  return {
    name: 'embedded-lua',
    async config() {
      if (!(await embedLua({ print }))) throw new Error('the Lua scripts cannot be embedded');
    },
    configureServer({ watcher }) {
      watcher.on('all', (_event, path) => {
        if (path.startsWith(FOLDER)) embedLua({ print }).catch(console.error);
      });
    },
  };
}

// Preloaded with --unsafe: the very same build of the application gets ./library.mjs where it imports the library.
import * as module from 'node:module';

const NAME = 'nestjs-distributed-lock';
const STAND_IN = new URL('./library.mjs', import.meta.url).href;

const hooks = `export async function resolve(specifier, context, next) {
  return (specifier + '/').startsWith(${JSON.stringify(`${NAME}/`)})
    ? { url: ${JSON.stringify(STAND_IN)}, shortCircuit: true }
    : next(specifier, context);
}`;
module.register(`data:text/javascript,${encodeURIComponent(hooks)}`);

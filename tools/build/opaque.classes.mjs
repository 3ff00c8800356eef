/**
 * Classes that users meet only as parameters of a constructor that the library calls, by their modules. With their members the
 * declarations of most of the implementation would be packed, and shown in editors.
 * @type {Readonly<Record<string, string>>}
 */
const OPAQUE = {
  'locks/lock.engine': 'LockEngine',
  'ticks/tick.runner': 'TickRunner',
  'groups/red.lock': 'RedLocks',
};

/**
 * Declares those classes without members. Nothing else has their type, because a class has something private.
 * @param {string} folder of the modules
 * @returns {import('rolldown').Plugin}
 */
export function hideMembers(folder) {
  const unused = new Set(Object.keys(OPAQUE));
  return {
    name: 'opaque-classes',
    load: (id) => {
      const path = id.replaceAll('\\', '/');
      const module = Object.keys(OPAQUE).find((each) => path.endsWith(`/${folder}/${each}.d.ts`));
      if (module === undefined) return null;
      unused.delete(module);
      return `/** A part of the implementation. */\nexport declare class ${OPAQUE[module]} {\n  #private;\n}\n`;
    },
    buildEnd: (error) => {
      if (error === undefined && unused.size > 0)
        throw new Error(`no declaration needs ${[...unused].join(', ')}: list it no longer as opaque`);
    },
  };
}

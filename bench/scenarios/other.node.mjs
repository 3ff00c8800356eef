import s2 from './s2.many.mjs';
import s8 from './s8.decorator.mjs';

/**
 * A scenario once more, without the peers, by the Node that is named: what the runtime costs is not the same for each version of it.
 * @param {import('../bench.types.js').Scenario} scenario
 * @returns {import('../bench.types.js').Scenario}
 */
function onOtherNode(scenario) {
  return {
    ...scenario,
    id: `${scenario.id}N`,
    title: `${scenario.title}, on another Node`,
    entries: scenario.entries.filter(({ role }) => role !== 'peer'),
    isOnOtherNode: true,
  };
}

export const s2n = onOtherNode(s2);
export const s8n = onOtherNode(s8);

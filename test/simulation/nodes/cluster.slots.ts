/** The slots of a cluster as a node, or a client, knows them. It is never changed: a change makes another one. */
export interface SlotView {
  /** By slot: the addresses of its master and its replica. */
  readonly slots: readonly (readonly string[])[];
  readonly masters: ReadonlySet<string>;
  /** All addresses. */
  readonly nodes: ReadonlySet<string>;
}

/** How many slots a cluster has. */
export const SLOTS = 16_384;

/** @param owners by slot: the place of its shard */
export function slotViewOf(
  owners: Uint8Array,
  shards: readonly { readonly master: { key: string }; readonly replica: { key: string } }[],
): SlotView {
  const addresses = shards.map(({ master, replica }) => [master.key, replica.key]);
  return {
    slots: Array.from(owners, (place) => addresses[place] ?? []),
    masters: new Set(addresses.map(([master = '']) => master)),
    nodes: new Set(addresses.flat()),
  };
}

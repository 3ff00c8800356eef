/** Whether a server is a replica. @param info its reply to INFO, with the section `replication` */
export function isReplica(info: string): boolean {
  return /^role:slave\b/m.test(info);
}

/** Why a connection that needs a master is not used; undefined where it has one. @param info as for {@link isReplica} */
export function replicaRefusal(info: string): string | undefined {
  if (!isReplica(info)) return undefined;
  const fieldOf = (name: string) => new RegExp(`^master_${name}:(\\S+)`, 'm').exec(info)?.[1];
  return `it is a replica of ${fieldOf('host')}:${fieldOf('port')}, and locks need the master`;
}

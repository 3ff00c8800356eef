/** The name of the lock that every change of an account's balance needs. */
export function accountLock(id: string): string {
  return `account:${id}`;
}

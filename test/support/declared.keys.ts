/** What stays in Redis: the records of jobs and their list; and for some seconds the last report of a killed instance. */
export function isDeclared(key: string): boolean {
  return /[}:]:?(?:tick|runs|job_list|instance_list|instance:[\da-f-]{36})$/.test(key);
}

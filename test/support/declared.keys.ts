/** The last reports of instances: they stay for some seconds where an instance was killed. */
export function isReport(key: string): boolean {
  return /[}:]:?(?:instance_list|instance:[\da-f-]{36})$/.test(key);
}

/** What stays in Redis: the records of jobs and their list, and reports for some seconds. */
export function isDeclared(key: string): boolean {
  return isReport(key) || /[}:]:?(?:tick|runs|job_list)$/.test(key);
}

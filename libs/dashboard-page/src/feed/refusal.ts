/** What is read of a response to know whether it is a refusal. */
export interface AnsweredRequest {
  readonly ok: boolean;
  readonly status: number;
  readonly redirected: boolean;
}

/** Whether a guard or a proxy refused the request: by its status, or by a redirection to a page to sign in. */
export function isRefusal({ ok, status, redirected }: AnsweredRequest): boolean {
  return status === 401 || status === 403 || (redirected && ok);
}

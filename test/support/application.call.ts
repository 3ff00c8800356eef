/** What a call rejects with; its own name is what the stack has to lead to. @throws when the call is answered */
export async function callOfTheApplication(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was let in');
}

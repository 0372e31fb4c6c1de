import { CallProblem } from '../../api/problem'

/** Handler for `catch` that rethrows a problem with its field names mapped to the field names of the form. */
export const withFields =
  (nameOf: (path: string) => string) =>
  (thrown: unknown): never => {
    if (!(thrown instanceof CallProblem)) throw thrown
    const fields: Record<string, readonly string[]> = {}
    for (const [path, messages] of Object.entries(thrown.fields)) {
      const name = nameOf(path)
      fields[name] = [...(fields[name] ?? []), ...messages]
    }
    throw new CallProblem({ ...thrown, message: thrown.message, fields })
  }

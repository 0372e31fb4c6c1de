import { Problem } from '@mainstay/contract/core/problems'

/** Returns the Problem that an attempt was rejected with. Fails if the attempt succeeds or throws anything else. */
export async function problemOf(attempt: Promise<unknown>): Promise<Problem> {
  const error: unknown = await attempt.then(
    () => new Error('It was not refused'),
    (refused: unknown) => refused,
  )
  if (error instanceof Problem) return error
  throw error
}

/** Returns the IDs on all pages of a list, in order. */
export async function idsOf(pages: AsyncIterable<{ id: string }[]>): Promise<string[]> {
  const ids: string[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))
  return ids
}

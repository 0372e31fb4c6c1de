import { Problem } from '@mainstay/contract/core/problems'

/** What an attempt was refused with; fails where it succeeded or broke in another way. */
export async function problemOf(attempt: Promise<unknown>): Promise<Problem> {
  const error: unknown = await attempt.then(
    () => new Error('It was not refused'),
    (refused: unknown) => refused,
  )
  if (error instanceof Problem) return error
  throw error
}

/** Ids of all pages of a list, in order. */
export async function idsOf(pages: AsyncIterable<{ id: string }[]>): Promise<string[]> {
  const ids: string[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))
  return ids
}

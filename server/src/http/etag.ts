import { createHash } from 'node:crypto'

/*
 * The ETag of a row is `"<revision>-<digest>"`; `If-Match` compares the revision of the row. The digest is computed
 * from the response as sent, so it differs between callers who see different parts of the row.
 */

/** ETag of a response; null if it has none. `revision`: the revision of the row in the response. */
export function etagOf(answer: unknown, text: string, revision: number | null): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const digest = (): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
  if (revision !== null) return `"${revision}-${digest()}"`
  const { revision: listRevision, updated, updated_at } = answer as Record<string, unknown>
  if (typeof listRevision === 'number') return `W/"${digest()}"`
  return typeof (updated ?? updated_at) === 'string' ? `"${digest()}"` : null
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether an If-None-Match header contains the ETag. */
export const etagIsAmong = (header: string, etag: string): boolean =>
  tagsOf(header).some((tag) => tag === '*' || tag === etag.replace(/^W\//, ''))

/** Row revisions in an If-Match header; null if it accepts any (`*`). */
export function revisionsOf(ifMatch: string): Set<number> | null {
  const tags = tagsOf(ifMatch)
  if (tags.includes('*')) return null
  return new Set(tags.flatMap((tag) => /^"(\d{1,15})-[\w-]*"$/.exec(tag)?.[1] ?? []).map(Number))
}

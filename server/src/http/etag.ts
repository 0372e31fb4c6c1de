import { createHash } from 'node:crypto'

/*
 * A tag names what one caller was answered. That of a row begins with the row's revision, which is what `If-Match` is
 * compared with: `"<revision>-<digest>"`. The digest is of the answer as it was sent, so it differs where two may see
 * different parts of the same row.
 */

/** The tag of an answer; null for what has none. `revision`: of the row that it is. */
export function etagOf(answer: unknown, text: string, revision: number | null): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const digest = (): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
  if (revision !== null) return `"${revision}-${digest()}"`
  const { revision: listRevision, updated, updated_at } = answer as Record<string, unknown>
  if (typeof listRevision === 'number') return `W/"${digest()}"`
  return typeof (updated ?? updated_at) === 'string' ? `"${digest()}"` : null
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether a list of tags in If-None-Match holds this one. */
export const etagIsAmong = (header: string, etag: string): boolean =>
  tagsOf(header).some((tag) => tag === '*' || tag === etag.replace(/^W\//, ''))

/** The revisions of a row that an If-Match names; null where it is content with any (`*`). */
export function revisionsOf(ifMatch: string): Set<number> | null {
  const tags = tagsOf(ifMatch)
  if (tags.includes('*')) return null
  return new Set(tags.flatMap((tag) => /^"(\d{1,15})-[\w-]*"$/.exec(tag)?.[1] ?? []).map(Number))
}

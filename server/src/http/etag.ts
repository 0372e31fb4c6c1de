import { createHash } from 'node:crypto'

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/**
 * What names this state of an answer: a list's revision, an entity's time of change. Null where there is neither.
 * `reader` tells apart those who are answered differently.
 */
export function etagOf(answer: unknown, reader: string): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const it = answer as { revision?: unknown; updated?: unknown; updated_at?: unknown; id?: unknown }
  if (typeof it.revision === 'number') return `W/"${hash(`${it.revision} ${reader}`)}"`
  const changed = it.updated ?? it.updated_at
  return typeof changed === 'string' ? `"${hash(`${String(it.id)} ${changed}`)}"` : null
}

/** Whether a list of tags in If-Match or If-None-Match holds this one. */
export const etagIsAmong = (header: string, etag: string): boolean =>
  header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag.replace(/^W\//, ''))

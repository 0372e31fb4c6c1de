import type { Key } from '../../../i18n/catalogues'

interface Statement {
  Effect?: unknown
  Principal?: unknown
  Action?: unknown
  Condition?: unknown
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

const isEverybody = (principal: unknown): boolean =>
  principal === '*' ||
  (typeof principal === 'object' &&
    principal !== null &&
    list((principal as { AWS?: unknown }).AWS).some((it) => it === '*'))

const covers = (pattern: unknown, action: string): boolean =>
  typeof pattern === 'string' &&
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  ).test(action)

/** Statements of a policy; none of a text that is no policy. */
export function statementsOf(json: string): Statement[] {
  try {
    const { Statement: statements } = JSON.parse(json) as { Statement?: unknown }
    return list(statements).filter((it): it is Statement => typeof it === 'object' && it !== null)
  } catch {
    return []
  }
}

/** Who is let in beside the owner, as far as a policy says so to everybody. */
export function openTo(json: string): { isReadable: boolean; isWritable: boolean; isConditional: boolean } {
  const open = statementsOf(json).filter(({ Effect, Principal }) => Effect === 'Allow' && isEverybody(Principal))
  const gives = (action: string) => open.filter(({ Action }) => list(Action).some((it) => covers(it, action)))
  const reading = gives('s3:GetObject')
  const writing = gives('s3:PutObject')
  return {
    isReadable: reading.length > 0,
    isWritable: writing.length > 0,
    isConditional: [...reading, ...writing].every(({ Condition }) => Condition !== undefined),
  }
}

/** The sentence that sums a policy up. */
export function summaryOf(json: string): Key<'objectStorage'> {
  const { isReadable, isWritable, isConditional } = openTo(json)
  if (!isReadable && !isWritable) return 'policy.closed'
  if (isConditional) return 'policy.conditional'
  return isWritable ? 'policy.publicWrite' : 'policy.publicRead'
}

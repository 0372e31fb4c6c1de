import { isLike } from '@mainstay/contract/object-storage/wildcards'
import type { Key } from '../../../i18n/catalogues'

/** A statement as it stands in a policy, whatever it says. */
export interface Statement {
  Sid?: unknown
  Effect?: unknown
  Principal?: unknown
  NotPrincipal?: unknown
  Action?: unknown
  NotAction?: unknown
  Resource?: unknown
  Condition?: unknown
}

/** Where S3 takes one or several. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

export const isEveryone = (principal: unknown): boolean =>
  principal === '*' ||
  (typeof principal === 'object' &&
    principal !== null &&
    list((principal as { AWS?: unknown }).AWS).some((it) => it === '*'))

/** Whether a pattern of actions takes in an action. */
export const covers = (pattern: unknown, action: string): boolean =>
  typeof pattern === 'string' && isLike(action.toLowerCase(), pattern.toLowerCase())

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
export function publicAccess(json: string): { isReadable: boolean; isWritable: boolean; isConditional: boolean } {
  const open = statementsOf(json).filter(({ Effect, Principal }) => Effect === 'Allow' && isEveryone(Principal))
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
  const { isReadable, isWritable, isConditional } = publicAccess(json)
  if (!isReadable && !isWritable) return 'policy.closed'
  if (isConditional) return 'policy.conditional'
  return isWritable ? 'policy.publicWrite' : 'policy.publicRead'
}

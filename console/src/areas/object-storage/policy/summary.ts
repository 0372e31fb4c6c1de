import { isLike } from '@mainstay/contract/object-storage/wildcards'
import type { Key } from '../../../i18n/catalogues'

/** An unvalidated policy statement. */
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

/** Normalizes an element that S3 accepts as a single value or a list. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

export const isEveryone = (principal: unknown): boolean =>
  principal === '*' ||
  (typeof principal === 'object' &&
    principal !== null &&
    list((principal as { AWS?: unknown }).AWS).some((it) => it === '*'))

/** Whether an action pattern matches an action. */
export const covers = (pattern: unknown, action: string): boolean =>
  typeof pattern === 'string' && isLike(action.toLowerCase(), pattern.toLowerCase())

/** A policy's statements; empty if the text is not valid JSON. */
export function statementsOf(json: string): Statement[] {
  try {
    const { Statement: statements } = JSON.parse(json) as { Statement?: unknown }
    return list(statements).filter((it): it is Statement => typeof it === 'object' && it !== null)
  } catch {
    return []
  }
}

/** The access that a policy grants to everyone. */
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

/** Key of the text that summarizes a policy. The text takes the number of statements as `count`. */
export function summaryOf(json: string): Key<'objectStorage'> {
  const { isReadable, isWritable, isConditional } = publicAccess(json)
  if (!isReadable && !isWritable) return 'policy.closed'
  if (isConditional) return 'policy.conditional'
  return isWritable ? 'policy.publicWrite' : 'policy.publicRead'
}

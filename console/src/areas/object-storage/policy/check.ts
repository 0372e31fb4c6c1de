import { MOST_POLICY_BYTES } from '../client/policy'
import { jsonFaultAt } from './json-fault'

/** A problem found before the policy is sent. Line numbers start at 1. */
export type PolicyFault =
  | { reason: 'empty' }
  | { reason: 'tooLong'; most: number }
  | { reason: 'syntax'; message: string; line: number }
  | { reason: 'noObject' }

/** Checks a policy's syntax; null if it is valid. The server checks the semantics. */
export function policyFault(text: string): PolicyFault | null {
  if (text.trim() === '') return { reason: 'empty' }
  if (new TextEncoder().encode(text).length > MOST_POLICY_BYTES) return { reason: 'tooLong', most: MOST_POLICY_BYTES }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : { reason: 'noObject' }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return { reason: 'syntax', message, line: text.slice(0, jsonFaultAt(text)).split('\n').length }
  }
}

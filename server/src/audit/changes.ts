import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { LEFT_OUT } from '@mainstay/contract/core/tasks'
import { limits } from '../limits'

type Fields = Readonly<Record<string, unknown>>

/**
 * Names of fields, at any depth, whose values are never stored. Guest scripts and file contents may contain any secret.
 */
const secret =
  /passw|passphrase|secret|token|credential|private|api_?key|access_?key|user_?data|personality|otp|recovery|^(key|pin|data|community)$/i

export const isSecretName = (name: string): boolean => secret.test(name)

const sizes = limits.audit

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts a value to the text that is stored: a string as it is, any other value as JSON without secrets; truncated.
 */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text =
    typeof value === 'string'
      ? value
      : JSON.stringify(value, (name, inner: unknown) => (isSecretName(name) && inner !== null ? LEFT_OUT : inner))
  return text.slice(0, sizes.change).replaceAll('\0', '\ufffd')
}

/** Reduces the previous object to its ID if the body references the new one by ID. */
const named = (was: unknown, value: unknown): unknown =>
  typeof value === 'string' && isFields(was) && typeof was['id'] === 'string' ? was['id'] : was

/**
 * The fields set by a body, with their previous values if known. Unchanged fields are omitted. For secrets, only the
 * field name is recorded.
 */
export function changesOf(body: unknown, before: unknown): AuditChange[] {
  if (!isFields(body)) return []
  const known: Fields = isFields(before) ? before : {}
  const changes: AuditChange[] = []
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || name === 'event') continue
    const field = name.slice(0, sizes.changedField)
    if (isSecretName(name)) {
      // a new object that never had this secret
      if (value === null && before === undefined) continue
      changes.push({ field, from: null, to: null, is_secret: true })
      continue
    }
    const [from, to] = [textOf(named(known[name], value)), textOf(value)]
    if (!(Object.hasOwn(known, name) && from === to)) changes.push({ field, from, to, is_secret: false })
    if (changes.length === sizes.changes) break
  }
  return changes
}

/**
 * Changes expressed by path parameters, as in `/tags/:tag`. Omits IDs, which identify the object, and parameters that
 * may contain secrets.
 */
export function changesInAddress(verb: string, params: Readonly<Record<string, string>>): AuditChange[] {
  return Object.entries(params)
    .filter(([name]) => !/(^|_)id$/.test(name) && !isSecretName(name))
    .map(([field, value]) => {
      const text = textOf(value)
      return verb === 'DELETE'
        ? { field, from: text, to: null, is_secret: false }
        : { field, from: null, to: text, is_secret: false }
    })
}

import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { LEFT_OUT } from '@mainstay/contract/core/tasks'
import { limits } from '../limits'

type Fields = Readonly<Record<string, unknown>>

/** Fields whose values nobody is to read, wherever they stand. A script for a guest and the data of a file may hold anything. */
const secret =
  /passw|passphrase|secret|token|credential|private|api_?key|access_?key|user_?data|personality|otp|recovery|^(key|pin|data)$/i

export const isSecretName = (name: string): boolean => secret.test(name)

const sizes = limits.audit

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as it is kept: a text as it is, else JSON, without secrets, cut. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text =
    typeof value === 'string'
      ? value
      : JSON.stringify(value, (name, inner: unknown) => (isSecretName(name) && inner !== null ? LEFT_OUT : inner))
  return text.slice(0, sizes.change).replaceAll('\0', '\ufffd')
}

/** A thing that a body names by its id is told by its id as well. */
const named = (was: unknown, value: unknown): unknown =>
  typeof value === 'string' && isFields(was) && typeof was['id'] === 'string' ? was['id'] : was

/**
 * Which fields a body has set, beside what was there before where that is known. Fields that are as they were are left out;
 * of secrets nothing but their names is kept.
 */
export function changesOf(body: unknown, before: unknown): AuditChange[] {
  if (!isFields(body)) return []
  const known: Fields = isFields(before) ? before : {}
  const changes: AuditChange[] = []
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || name === 'event') continue
    const field = name.slice(0, sizes.changedField)
    if (isSecretName(name)) {
      // a new object without that secret: nothing was set
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
 * What a call sets or takes away that its address names, as `/tags/:tag` does. Ids name the object of the call; a name that
 * may be that of a secret is left out.
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

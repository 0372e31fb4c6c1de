/** Fields that may contain a secret, by name in any spelling: `private_key`, `privateKey`, `smtp.password`. */
const secretField =
  /pass(w|phrase|code)|secret|private|community|psk|token|credential|api_?key|access_?key|user_?data|personality|^script$|cloud_?init|otp|recovery|^(pin|data)$/i

/** Keys, certificates and scripts span several lines; no other form input does. */
const mayBeSecret = (text: string) => /[\r\n]|PRIVATE KEY-----/.test(text)

/**
 * Copies form values without files and possible secrets. Strings are omitted because of their field name or content, or
 * if they were typed into a masked field (`hidden` contains its path, such as `users.0.password`).
 */
export function storable(value: unknown, hidden: ReadonlySet<string> = new Set(), path = ''): unknown {
  const below = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`)
  if (typeof value === 'string') return hidden.has(path) || mayBeSecret(value) ? '' : value
  if (Array.isArray(value)) return value.map((item, at) => storable(item, hidden, below(at)))
  if (typeof value !== 'object' || value === null) return value
  // files and dates are not stored
  if (Object.getPrototypeOf(value) !== Object.prototype) return null
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && secretField.test(name) ? '' : storable(inner, hidden, below(name)),
    ]),
  )
}

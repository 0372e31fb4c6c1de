/*
 * Results and errors of jobs are shown to people and kept for a month. Handlers are told to put no secrets there; this
 * is for what slips into an error's message: a command line, an address with a password.
 */

const MAX_MESSAGE = 1000
const secretName = /pass(word|phrase)?|secret|token|private_?key|credential|authorization/i

/** A message for people: without what looks like a secret, and not endless. */
export function safeMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const hidden = text
    .replace(/\/\/[^/\s:@]*:[^/\s@]+@/g, '//***@')
    .replace(/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, '***')
    .replace(
      /((?:pass(?:word|phrase)?|secret|token|private_?key|authorization)["']?\s*[=:]\s*["']?)(?:bearer\s+)?[^\s"',;&]+/gi,
      '$1***',
    )
  return hidden.trim().slice(0, MAX_MESSAGE) || 'Task failed due to unknown reason'
}

/** A result without values whose names say that they are secret. */
export function safeResult(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(safeResult)
  if (typeof value !== 'object' || value === null) return value ?? null
  const named = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(named)
      .filter(([name]) => !secretName.test(name))
      .map(([name, inner]) => [name, safeResult(inner)]),
  )
}

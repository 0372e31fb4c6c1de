/*
 * The results and errors of jobs are visible to users and are kept for a month. Handlers must not put secrets in them.
 * This removes secrets that slip into an error message, such as in a command line or a URL with a password.
 */

const MAX_MESSAGE = 1000
const secretName = /pass(word|phrase)?|secret|token|private_?key|credential|authorization/i

/** An error message for users, shortened and without anything that looks like a secret. */
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

/** The result without values whose names suggest a secret. */
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

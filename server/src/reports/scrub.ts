const HIDDEN = '***'
/** Shorter secrets are not replaced, because they could be ordinary words. */
const LEAST_CHARACTERS = 6

/** Patterns that match likely secrets, including those that this server does not know. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]+-----[\s\S]*?(-----END [^-\n]+-----|$)/g, HIDDEN],
  // credentials in a URL
  [/\/\/[^/\s:@"]{0,256}:[^/\s@"]{1,1024}@/g, `//${HIDDEN}@`],
  // a named value in JSON (or in JSON nested in a string), in form data, or in environment variables
  [
    /((?:pass(?:word|phrase|wd)?|secret|token|api_?key|private_?key|access_?key|sealing_?key|authorization|cookie)(?:\\?["'])?\s{0,8}[=:]\s{0,8}(?:\\?["'])?)(?!(?:true|false|null|\d+)\b)(?:(?:bearer|basic) )?[^\s"',;&\\]+/gi,
    `$1${HIDDEN}`,
  ],
  [/\b(bearer|basic) [A-Za-z0-9+/=._~-]{8,}/gi, `$1 ${HIDDEN}`],
  // password hashes
  [/\$(?:argon2\w*|scrypt|2[aby])\$[^\s"']+/g, HIDDEN],
  // tokens issued by this server, a cloud, or an identity provider
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, HIDDEN],
  [/\bgAAAAA[A-Za-z0-9_-]{40,}={0,2}/g, HIDDEN],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, HIDDEN],
]

/** The forms in which a secret may appear: in text, in JSON, in nested JSON, in a URL, and as Base64. */
function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  return [secret, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(secret), encoded]
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns a function that hides the given secrets, and anything that looks like a secret, in a text. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const known = secrets
    // each line of a multi-line key counts as a secret
    .flatMap((secret) => [secret, ...secret.split('\n')])
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= LEAST_CHARACTERS && !/^-----(BEGIN|END) /.test(secret))
  const forms = [...new Set(known.flatMap(formsOf))].sort((one, other) => other.length - one.length)
  const exact = forms.length === 0 ? null : new RegExp(forms.map(escaped).join('|'), 'g')
  return (text) =>
    patterns.reduce(
      (clean, [pattern, instead]) => clean.replace(pattern, instead),
      exact ? text.replace(exact, HIDDEN) : text,
    )
}

const secretName =
  /pass(word|phrase|wd)?$|secret|token|credential|(private|api|access|sealing)_?key|authorization|cookie|^community$/i

/** Scrubs all strings in a value, and hides strings whose property name indicates a secret. */
export function scrubbed(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value)
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub))
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      scrub(name),
      secretName.test(name) && typeof inner === 'string' ? HIDDEN : scrubbed(inner, scrub),
    ]),
  )
}

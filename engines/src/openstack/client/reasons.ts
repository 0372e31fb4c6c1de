import * as z from 'zod'

/** A service's reason for an error, without markup or secrets. */
export interface Reason {
  text: string
  /** Error type, if the service provides one, such as `OverQuota` or `conflictingRequest`. */
  type: string | null
}

const Text = z.string().min(1)
const said = (text: string, type?: string | null): Reason => ({ text, type: type ?? null })

/** Error formats, most specific first. */
const shapes: readonly z.ZodType<Reason>[] = [
  // format of the network service
  z
    .object({ NeutronError: z.object({ type: z.string(), message: Text }) })
    .transform(({ NeutronError: { type, message } }) => said(message, type)),
  z.object({ NeutronError: Text }).transform(({ NeutronError }) => said(NeutronError)),
  // format of the identity service, and of the token middleware in every service
  z
    .object({ error: z.object({ message: Text, title: z.string().nullish() }) })
    .transform(({ error: { message, title } }) => said(message, title)),
  // format of placement, and of version errors
  z
    .object({ errors: z.tuple([z.object({ title: z.string().nullish(), detail: Text })], z.unknown()) })
    .transform(({ errors: [{ title, detail }] }) => said(detail, title)),
  // format of the load balancer, and of other services that use WSME
  z.object({ faultstring: Text }).transform(({ faultstring }) => said(faultstring)),
  // format of the key manager
  z
    .object({ title: z.string().nullish(), description: Text })
    .transform(({ title, description }) => said(description, title)),
  // format of the image service
  z.object({ message: Text, title: z.string().nullish() }).transform(({ message, title }) => said(message, title)),
  // format of compute and volume: a single key, which is the error type
  z
    .record(z.string(), z.object({ message: Text }))
    .refine((faults) => Object.keys(faults).length === 1)
    .transform((faults) => {
      const [type = '', { message } = { message: '' }] = Object.entries(faults)[0] ?? []
      return said(message, type)
    }),
]

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}
const longestReason = 500

/** Fernet and JWS tokens, and values that follow the name of a secret field. */
const secrets = [
  /gAAAA[\w-]{20,}=*/g,
  /eyJ[\w-]{10,}\.[\w-]+\.[\w-]*/g,
  /((?:password|adminPass|secret|psk|x-auth-token)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi,
]

function cleaned(text: string, hidden: readonly string[]): string {
  let shown = text.replace(/<[^>]{0,200}>/g, ' ').replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity)
  for (const one of hidden) if (one.length > 5) shown = shown.replaceAll(one, '[hidden]')
  for (const secret of secrets)
    shown = shown.replace(secret, (_, before: unknown) =>
      typeof before === 'string' ? `${before}[hidden]` : '[hidden]',
    )
  shown = shown.replace(/\s+/g, ' ').trim()
  return shown.length > longestReason ? `${shown.slice(0, longestReason)}…` : shown
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Extracts the reason from an error body; null if the body has none of the known formats. */
export function reasonIn(body: string, hidden: readonly string[] = []): Reason | null {
  const value = parsed(body)
  if (value === undefined) return null
  for (const shape of shapes) {
    const fits = shape.safeParse(value)
    if (!fits.success) continue
    const text = cleaned(fits.data.text, hidden)
    return text ? { text, type: fits.data.type } : null
  }
  return null
}

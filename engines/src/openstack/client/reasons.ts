import * as z from 'zod'

/** What a service says about a refusal, cleaned of markup and of anything secret. */
export interface Reason {
  text: string
  /** Name of the fault where the service has one: `OverQuota`, `conflictingRequest`. */
  type: string | null
}

const Text = z.string().min(1)
const said = (text: string, type?: string | null): Reason => ({ text, type: type ?? null })

/** Shapes of refusals, the more particular first. */
const shapes: readonly z.ZodType<Reason>[] = [
  // network
  z
    .object({ NeutronError: z.object({ type: z.string(), message: Text }) })
    .transform(({ NeutronError: { type, message } }) => said(message, type)),
  z.object({ NeutronError: Text }).transform(({ NeutronError }) => said(NeutronError)),
  // identity, and what stands before every service and looks at its tokens
  z
    .object({ error: z.object({ message: Text, title: z.string().nullish() }) })
    .transform(({ error: { message, title } }) => said(message, title)),
  // placement, and refusals of versions
  z
    .object({ errors: z.tuple([z.object({ title: z.string().nullish(), detail: Text })], z.unknown()) })
    .transform(({ errors: [{ title, detail }] }) => said(detail, title)),
  // load balancer, and others whose interface is made by WSME
  z.object({ faultstring: Text }).transform(({ faultstring }) => said(faultstring)),
  // key manager
  z
    .object({ title: z.string().nullish(), description: Text })
    .transform(({ title, description }) => said(description, title)),
  // image
  z.object({ message: Text, title: z.string().nullish() }).transform(({ message, title }) => said(message, title)),
  // compute and volume: one key, the fault's name
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

/** Tokens of every kind that the identity service issues, and what stands behind words for secrets. */
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

/** The service's own reason, in whatever shape it comes; null where the answer is of none that a service gives. */
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

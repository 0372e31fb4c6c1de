import * as z from 'zod'

const hasZone = /(Z|[+-]\d{2}:?\d{2})$/

/** Converts times from the cloud to ISO 8601. Some services omit the time zone; such times are in UTC. */
export const WireTime = z.string().transform((text, context) => {
  const time = new Date(hasZone.test(text) ? text : `${text}Z`)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  context.addIssue({ code: 'custom', message: 'This is not a time' })
  return z.NEVER
})

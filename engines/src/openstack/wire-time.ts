import * as z from 'zod'

const hasZone = /(Z|[+-]\d{2}:?\d{2})$/

/** A time as services of the cloud tell it, some without their zone, which is UTC then; as the contract has it. */
export const WireTime = z.string().transform((text, context) => {
  const time = new Date(hasZone.test(text) ? text : `${text}Z`)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  context.addIssue({ code: 'custom', message: 'This is no time' })
  return z.NEVER
})

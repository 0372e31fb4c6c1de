import * as z from 'zod'

/** One field that a call has set or changed. */
export const AuditChange = z.object({
  /** Its name in the body, or in the address of the call. */
  field: z.string(),
  /** What was there before, as a text or as JSON, cut; null where there was nothing, or nobody knows. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** A secret: that it was set is all that is kept. */
  is_secret: z.boolean(),
})
export type AuditChange = z.infer<typeof AuditChange>

import * as z from 'zod'

/** A field that a call set or changed. */
export const AuditChange = z.object({
  /** Name of the field in the body, or of the path parameter. */
  field: z.string(),
  /** Previous value as text or JSON, truncated; null if there was none or it is unknown. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** True for secrets: the log records only that the value was set. */
  is_secret: z.boolean(),
})
export type AuditChange = z.infer<typeof AuditChange>

import * as z from 'zod'
import { Time } from './names'

/** The cloud, or a part of it, cannot be queried, so lists may be outdated. */
export const Outage = z.object({
  since: Time,
  /** Parts that do not respond, such as `compute` or `images`; empty if the server itself lags behind. */
  parts: z.array(z.string()),
})
export type Outage = z.infer<typeof Outage>

import * as z from 'zod'
import { Time } from './names'

/** What lists show may be older than what there is: the cloud, or parts of it, cannot be read. */
export const Outage = z.object({
  since: Time,
  /** Parts that do not answer, such as `compute`, `images`; none where it is the server that follows no more. */
  parts: z.array(z.string()),
})
export type Outage = z.infer<typeof Outage>

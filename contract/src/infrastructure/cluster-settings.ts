import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Refusal } from '../core/problems'

export const tiers = ['tier0', 'tier1', 'tier2', 'tier3'] as const
export type Tier = (typeof tiers)[number]

const flag = z.boolean()

/** For each storage tier, whether data written to it is encrypted on disk. */
export const TierEncryption = z.object({ tier0: flag, tier1: flag, tier2: flag, tier3: flag })
export type TierEncryption = z.infer<typeof TierEncryption>

const limit = Refusal.nullable()

export const ClusterSettings = z.object({
  encryption: TierEncryption,
  encryption_limits: z
    .object({ tier0: limit, tier1: limit, tier2: limit, tier3: limit })
    .describe('For each tier, why its encryption cannot be changed. Null if it can.'),
})
export type ClusterSettings = z.infer<typeof ClusterSettings>

/** Omitted tiers stay unchanged. */
export const ClusterSettingsChange = z
  .strictObject({
    encryption: z.strictObject(TierEncryption.shape).partial(),
  })
  .meta({ examples: [{ encryption: { tier0: false } }] })
export type ClusterSettingsChange = z.infer<typeof ClusterSettingsChange>

const resource = 'cluster_settings'
const path = '/api/v2/:scope/settings'

/** Settings of the cluster. The scope in the path is the ID of the cluster. */
export const clusterSettings = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'Get the storage settings of the cluster. Includes which tiers are encrypted.',
    reply: ClusterSettings,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary:
      'Change which tiers are encrypted. The flags change once the task is complete. Existing data stays as it is.',
    body: ClusterSettingsChange,
    reply: ClusterSettings.extend({
      task_id: z.string().nullable().describe('Null if nothing had to be changed.'),
    }),
  },
})

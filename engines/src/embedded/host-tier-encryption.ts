import type { RuleText } from '@mainstay/contract/core/said'
import type { Tier, TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'

/** Encryption of the storage tiers of this host. */
export interface HostTierEncryption {
  read(): Promise<TierEncryption>
  /** Why the encryption of a tier cannot be changed on this host; null if it can. */
  whyFixed(tier: Tier): RuleText | null
  /** Changes tiers for which `whyFixed` is null. Can be repeated. */
  change(wanted: Partial<Record<Tier, boolean | undefined>>): Promise<void>
}

import type { RuleText } from '@mainstay/contract/core/said'
import type { Tier, TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'

/** Encryption of the storage tiers of this host. */
export interface HostTierEncryption {
  read(): Promise<TierEncryption>
  /** Returns why the encryption of a tier cannot be changed on this host, or null if it can. */
  whyFixed(tier: Tier): RuleText | null
  /** Enables or disables the encryption of tiers for which `whyFixed` is null. Can be repeated. */
  set(wanted: Partial<Record<Tier, boolean | undefined>>): Promise<void>
}

import { problem } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import { isOnEncryptedDisk } from '../../host/disk-encryption'
import type { HostTierEncryption } from '../host-tier-encryption'

/** The only storage tier of this host is the disk of the data folder. The tier is encrypted if that disk is. */
export const folderEncryption = (folder: string): HostTierEncryption => ({
  read: async () => ({ tier0: await isOnEncryptedDisk(folder), tier1: false, tier2: false, tier3: false }),
  whyFixed: (tier) => (tier === 'tier0' ? says('storage.tier_is_folder') : says('storage.tier_missing')),
  set: () => Promise.reject(problem('storage.tier_is_folder')),
})

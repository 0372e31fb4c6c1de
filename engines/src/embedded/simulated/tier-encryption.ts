import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'
import { GiB } from '@mainstay/contract/core/bytes'
import { diskFull } from '../../image-files/image-fault'
import type { HostTierEncryption } from '../host-tier-encryption'
import type { Faults } from './options'

const none: TierEncryption = { tier0: false, tier1: false, tier2: false, tier3: false }
/** Space that a tier needs before its encryption can be changed. */
const NEEDED_BYTES = GiB

/**
 * Opens simulated tiers whose encryption can be changed. Their flags are stored in a file; with real disks, the disks
 * themselves store the flags.
 */
export function openTierEncryption(path: string, faults: Faults): HostTierEncryption {
  const flags = () => (existsSync(path) ? TierEncryption.parse(JSON.parse(readFileSync(path, 'utf8'))) : none)
  return {
    read: () => Promise.resolve(flags()),
    whyFixed: () => null,
    async set(wanted) {
      if (faults.diskFull || faults.freeBytes < NEEDED_BYTES) throw diskFull()
      writeFileSync(path, JSON.stringify({ ...flags(), ...wanted }))
    },
  }
}

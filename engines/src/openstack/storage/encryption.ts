import { fieldProblem } from '@mainstay/contract/core/problems'
import { tiers } from '@mainstay/contract/infrastructure/cluster-settings'
import type { EncryptionPort } from '../../ports/storage'

/** A cloud has no tiers. Its volume types determine which volumes are encrypted. */
export const encryptionOfCloud: EncryptionPort = {
  read: () => Promise.resolve({ tier0: false, tier1: false, tier2: false, tier3: false }),
  async change(_, wanted) {
    const tier = tiers.find((it) => wanted[it] === true)
    if (tier) throw fieldProblem(`encryption.${tier}`, 'storage.tiers_of_cloud')
    return null
  },
}

import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { tiers, TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'
import { problemOf } from '@mainstay/contract/core/problems'
import type { EncryptionPort } from '../../ports/storage'
import type { JobHandler } from '../../ports/records'
import type { Engine } from '../engine'

const JOB = 'cluster.encryption.update'

/**
 * Commands for the encryption of this host's tiers. The disks store the encryption flags, and there is no other copy.
 */
export const encryptionCommands = ({ hypervisor: { tierEncryption }, records }: Engine): EncryptionPort => ({
  read: () => tierEncryption.read(),
  async change(scope, wanted) {
    const current = await tierEncryption.read()
    const changed = tiers.filter((tier) => wanted[tier] !== undefined && wanted[tier] !== current[tier])
    for (const tier of changed) {
      const reason = tierEncryption.whyFixed(tier)
      if (reason !== null) throw problemOf(reason, { field: `encryption.${tier}` })
    }
    if (changed.length === 0) return null
    return records.transaction((tx) =>
      tx.startJob({
        name: JOB,
        subject: { kind: 'cluster', id: CLUSTER_ID, name: CLUSTER_ID },
        args: Object.fromEntries(changed.map((tier) => [tier, wanted[tier]])),
        scope,
      }),
    )
  },
})

/** Handlers for the encryption jobs, keyed by job name. */
export const encryptionJobs = ({ hypervisor: { tierEncryption } }: Engine): Record<string, JobHandler> => ({
  [JOB]: {
    async run({ args }) {
      await tierEncryption.set(TierEncryption.partial().parse(args))
      return null
    },
  },
})

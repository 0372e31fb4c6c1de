import {
  clusterSettings,
  tiers,
  type ClusterSettings,
  type Tier,
} from '@mainstay/contract/infrastructure/cluster-settings'
import { refusalOf } from '@mainstay/engines/ports/rehearsal'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { EncryptionPort } from '@mainstay/engines/ports/storage'
import { serve } from '../../http/serve'
import { requireCluster } from './clusters.service'

/** Returns the current flags and, for each of them, the reason why it cannot be changed, if there is one. */
async function shown(port: EncryptionPort, scope: Scope): Promise<ClusterSettings> {
  const encryption = await port.read()
  const limitOf = (tier: Tier) => refusalOf(() => port.change(scope, { [tier]: !encryption[tier] }))
  const [tier0, tier1, tier2, tier3] = await Promise.all(tiers.map(limitOf))
  return { encryption, encryption_limits: { tier0: tier0!, tier1: tier1!, tier2: tier2!, tier3: tier3! } }
}

export const clusterSettingsRoutes = serve(
  clusterSettings,
  {
    view({ params, scope }, tools) {
      requireCluster(tools, params.scope)
      return shown(tools.ports.storage.encryption, scope)
    },
    async save({ params, scope, body }, tools) {
      requireCluster(tools, params.scope)
      const { ports } = tools
      const task_id = await ports.storage.encryption.change(scope, body.encryption)
      return { ...(await shown(ports.storage.encryption, scope)), task_id }
    },
  },
  { about: 'cluster' },
)

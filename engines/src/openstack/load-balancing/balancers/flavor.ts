import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { LoadBalancerFlavor, LoadBalancerFlavorProfile } from '@mainstay/contract/load-balancing/flavors'
import { lbFlavorKind, lbFlavorProfileKind } from '@mainstay/contract/load-balancing/flavors'
import { forwardingOf } from '@mainstay/contract/load-balancing/pools'
import type { LoadBalancerDraft, Topology } from '@mainstay/contract/load-balancing/load-balancers'
import type { Engine } from '../../engine'
import type { BalancerService } from '../learn'
import { flavorOfProvider } from '../providers'
import { refuseInability } from '../pools/wanted'

/** Provider and flavor of a load balancer. If empty, the service uses its defaults. */
interface Carrier {
  provider?: string
  flavor_id?: string
}

interface Choice {
  flavor: LoadBalancerFlavor
  profile: LoadBalancerFlavorProfile
}

async function choicesOf({ records }: Pick<Engine, 'records'>): Promise<Choice[]> {
  return records.transaction(async (tx) => {
    const flavors = await tx.find<LoadBalancerFlavor>(lbFlavorKind.name, { enabled: true })
    const profiles = await tx.find<LoadBalancerFlavorProfile>(lbFlavorProfileKind.name, {})
    const byId = new Map(profiles.map((profile) => [profile.id, profile]))
    return flavors.flatMap((flavor) => {
      const profile = byId.get(flavor.flavor_profile_id)
      return profile ? [{ flavor, profile }] : []
    })
  })
}

const isOfProvider = ({ flavor, profile }: Choice): boolean => flavor.id === flavorOfProvider(profile.provider_name)
const topologyOf = ({ profile }: Choice): Topology => profile.flavor_data.loadbalancer_topology
const carrierOf = (choice: Choice): Carrier => ({
  provider: choice.profile.provider_name,
  ...(!isOfProvider(choice) && { flavor_id: choice.flavor.id }),
})

/**
 * Chooses the provider and flavor: the flavor in the draft; otherwise, if redundancy is required, a flavor that
 * provides it; otherwise, the first provider that supports the pools. Throws a `validation` or `unsupported` error on
 * the field at fault.
 */
export async function carrierFor(
  engine: Pick<Engine, 'records'>,
  { capabilities }: Pick<BalancerService, 'capabilities'>,
  draft: Pick<LoadBalancerDraft, 'flavor_id' | 'ha_enabled' | 'pools'>,
): Promise<Carrier> {
  const choices = await choicesOf(engine)
  const { flavor_id, ha_enabled, pools } = draft
  if (flavor_id !== undefined) {
    const chosen = choices.find(({ flavor }) => flavor.id === flavor_id)
    if (!chosen) throw fieldProblem('flavor_id', 'loadBalancing.no_such_flavor')
    if (ha_enabled && topologyOf(chosen) !== 'ACTIVE_STANDBY')
      throw fieldProblem('flavor_id', 'loadBalancing.flavor_without_standby')
    return carrierOf(chosen)
  }
  if (ha_enabled) {
    const pair = choices.find((choice) => topologyOf(choice) === 'ACTIVE_STANDBY')
    if (!pair) throw fieldProblem('ha_enabled', 'loadBalancing.no_flavor_with_standby')
    return carrierOf(pair)
  }
  if (pools.length === 0) return {}
  const refusals: Problem[] = []
  for (const provider of capabilities.providers) {
    try {
      for (const [place, pool] of pools.entries())
        refuseInability(provider, { ...pool, forwarding: forwardingOf(pool) }, `pools.${place}.`)
      return { provider: provider.name }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.push(error)
    }
  }
  if (refusals[0]) throw refusals[0]
  return {}
}

import type { LoadBalancerFlavor, LoadBalancerFlavorProfile } from '@mainstay/contract/load-balancing/flavors'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import type { KindReader, Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { whole } from '../../networking/wire'
import { flavorOfProvider, profileOfProvider } from '../providers'

const WireProvider = z.object({ name: z.string(), description: z.string().nullish() })

/** Returns the load balancer providers in this cloud. */
export const providersOf = (caller: ServiceClient, signal?: AbortSignal) =>
  whole(caller.pages('load-balancer', '/lbaas/providers', 'providers', WireProvider, { ...(signal && { signal }) }))

const WireFlavor = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  enabled: z.boolean().default(true),
  flavor_profile_id: z.string(),
})
const WireProfile = z.object({
  id: z.string(),
  name: z.string(),
  provider_name: z.string(),
  /** A JSON document. */
  flavor_data: z.string(),
})

const FlavorData = z.looseObject({ loadbalancer_topology: z.enum(['ACTIVE_STANDBY', 'SINGLE']).catch('SINGLE') })

/** Parses the flavor data of a profile. If it has no topology, load balancers have no standby. */
function flavorDataOf(text: string): LoadBalancerFlavorProfile['flavor_data'] {
  try {
    return { loadbalancer_topology: FlavorData.parse(JSON.parse(text)).loadbalancer_topology }
  } catch {
    return { loadbalancer_topology: 'SINGLE' }
  }
}

const ofCloud = restReader({
  kind: 'lb_flavor',
  service: 'load-balancer',
  path: '/lbaas/flavors',
  key: ['flavors', 'flavor'],
  item: WireFlavor,
  row: (wire): LoadBalancerFlavor => ({ ...wire, description: wire.description ?? '' }),
})
const profilesOfCloud = restReader({
  kind: 'lb_flavor_profile',
  service: 'load-balancer',
  path: '/lbaas/flavorprofiles',
  key: ['flavorprofiles', 'flavorprofile'],
  item: WireProfile,
  row: ({ flavor_data, ...wire }): LoadBalancerFlavorProfile => ({ ...wire, flavor_data: flavorDataOf(flavor_data) }),
})

/**
 * Adds a row per provider, for load balancers without a flavor. Returns no rows if the cloud does not have the service.
 */
function withProviders<Row extends LoadBalancerFlavor | LoadBalancerFlavorProfile>(
  reader: KindReader<Row>,
  rowOf: (provider: z.output<typeof WireProvider>) => Row,
): KindReader<Row> {
  const ofProviders = async ({ caller }: Reading, signal?: AbortSignal): Promise<Row[]> =>
    (await providersOf(caller, signal)).map(rowOf)
  return {
    ...reader,
    isNeverAnnounced: true,
    async *all(reading, signal) {
      if (!(await reading.caller.has('load-balancer'))) return
      yield* reader.all(reading, signal)
      yield ofProviders(reading, signal)
    },
    async some(reading, ids, signal) {
      if (!(await reading.caller.has('load-balancer'))) return new Map(ids.map((id) => [id, null]))
      const made = new Map((await ofProviders(reading, signal)).map((row) => [row.id, row]))
      const others = await reader.some(
        reading,
        ids.filter((id) => !made.has(id)),
        signal,
      )
      return new Map(ids.map((id) => [id, made.get(id) ?? others.get(id) ?? null]))
    },
  }
}

export const lbFlavorReader = withProviders<LoadBalancerFlavor>(ofCloud, ({ name, description }) => ({
  ...{ id: flavorOfProvider(name), name, description: description ?? '', enabled: true },
  flavor_profile_id: profileOfProvider(name),
}))
export const lbFlavorProfileReader = withProviders<LoadBalancerFlavorProfile>(profilesOfCloud, ({ name }) => ({
  ...{ id: profileOfProvider(name), name, provider_name: name },
  flavor_data: { loadbalancer_topology: 'SINGLE' },
}))

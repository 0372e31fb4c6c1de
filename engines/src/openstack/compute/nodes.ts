import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import * as z from 'zod'
import type { CallOptions, ServiceClient } from '../client/service-client'
import { unreadableIn, type Reading } from '../kind-reader'
import { listOf } from '../client/rows'
import { readEach } from '../read-each'
import { restReader } from '../rest-reader'
import { customTrait, readTraits, traitVersion } from './traits'

/** Since 2.53, a hypervisor has the same ID as its resource provider. */
const hypervisorVersion = '2.53'

const WireHypervisor = z.object({
  id: z.string(),
  hypervisor_hostname: z.string(),
  hypervisor_type: z.string().default(''),
  host_ip: z.string().nullish(),
  state: z.string(),
  status: z.string(),
  /** The host name that instances report. */
  service: z.object({ host: z.string() }),
})
type WireHypervisor = z.output<typeof WireHypervisor>

const nodeOf = (found: WireHypervisor, traits: readonly string[]): ComputeNode => ({
  id: found.id,
  host: found.service.host || found.hypervisor_hostname,
  host_ip: found.host_ip || null,
  state: found.state === 'up' ? 'up' : 'down',
  hypervisor: {
    status: found.status === 'enabled' ? 'enabled' : 'disabled',
    hypervisor_type: found.hypervisor_type,
  },
  traits: traits.filter((trait) => trait.startsWith(customTrait)).toSorted(),
})

/**
 * Traits of a resource provider. An update must include the generation that it is based on; Placement rejects it if the
 * traits have changed since then.
 */
export const ProviderTraits = z.object({ traits: z.array(z.string()), resource_provider_generation: z.number() })

export const readProviderTraits = (caller: ServiceClient, id: string, options: CallOptions = {}) =>
  caller.get('placement', `/resource_providers/${encodeURIComponent(id)}/traits`, ProviderTraits, {
    version: traitVersion,
    ...options,
  })

/**
 * Placements of all providers. Sends one request per placement in use, because there are fewer placements than nodes.
 */
async function traitsByProvider(reading: Reading, options: CallOptions): Promise<ReadonlyMap<string, string[]>> {
  const query = { name: `startswith:${customTrait}`, associated: 'true' }
  const traits = await readTraits(reading.caller, query, options, unreadableIn(reading, 'traits'))
  const providers = listOf(z.object({ uuid: z.string() }), unreadableIn(reading, 'resource_providers'))
  const carriers = await readEach(traits, async (required) => {
    const found = { version: '1.18', query: { required }, ...options }
    const shape = z.object({ resource_providers: providers })
    return (await reading.caller.get('placement', '/resource_providers', shape, found)).resource_providers
  })
  const byProvider = new Map<string, string[]>()
  for (const [trait, providers] of carriers)
    for (const { uuid } of providers ?? []) byProvider.set(uuid, [...(byProvider.get(uuid) ?? []), trait])
  return byProvider
}

/** Hypervisors with their placements. */
export const nodeReader = restReader({
  kind: 'compute_node',
  service: 'compute',
  path: '/os-hypervisors',
  listPath: '/os-hypervisors/detail',
  key: ['hypervisors', 'hypervisor'],
  item: WireHypervisor,
  version: hypervisorVersion,
  around: {
    ofAll: (reading, signal) => traitsByProvider(reading, signal ? { signal } : {}),
    ofOne: async ({ caller }, { id }, signal) => {
      const { traits } = await readProviderTraits(caller, id, signal ? { signal } : {})
      return new Map([[id, traits]])
    },
  },
  row: (found, _, traits) => nodeOf(found, traits.get(found.id) ?? []),
  isNeverAnnounced: true,
})

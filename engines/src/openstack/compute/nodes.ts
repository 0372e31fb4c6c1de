import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import * as z from 'zod'
import type { CallOptions, Caller } from '../client/caller'
import { unreadableIn, type KindReader, type Reading } from '../kind-reader'
import { listOf } from '../client/rows'
import { readEach, rowOfEach } from '../read-each'
import { customTrait, readTraits, traitVersion } from './traits'

/** From here on hypervisors have the ids of their resource providers. */
const hypervisorVersion = '2.53'

const WireHypervisor = z.object({
  id: z.string(),
  hypervisor_hostname: z.string(),
  hypervisor_type: z.string().default(''),
  host_ip: z.string().nullish(),
  state: z.string(),
  status: z.string(),
  /** By this name instances know their host. */
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

/** Traits of one provider. Who changes them says of which generation they read; another change meanwhile is refused. */
export const ProviderTraits = z.object({ traits: z.array(z.string()), resource_provider_generation: z.number() })

export const readProviderTraits = (caller: Caller, id: string, options: CallOptions = {}) =>
  caller.get('placement', `/resource_providers/${encodeURIComponent(id)}/traits`, ProviderTraits, {
    version: traitVersion,
    ...options,
  })

/** Placements of every provider. A call for each placement that is used: there are fewer of them than nodes. */
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

/** Hypervisors, with the placements that they carry. */
export const nodeReader: KindReader<ComputeNode> = {
  kind: 'compute_node',
  list: 'hypervisors',

  async *all(reading, signal) {
    const options = signal ? { signal } : {}
    const traits = await traitsByProvider(reading, options)
    const pages = reading.caller.pages('compute', '/os-hypervisors/detail', 'hypervisors', WireHypervisor, {
      version: hypervisorVersion,
      ...options,
    })
    for await (const page of pages)
      yield await rowOfEach(reading, 'hypervisors', page, (found) => nodeOf(found, traits.get(found.id) ?? []))
  },

  some(reading, ids, signal) {
    const { caller } = reading
    const readOne = async (id: string) => {
      const path = `/os-hypervisors/${encodeURIComponent(id)}`
      const options = signal ? { signal } : {}
      const shape = z.object({ hypervisor: WireHypervisor })
      const { hypervisor } = await caller.get('compute', path, shape, { version: hypervisorVersion, ...options })
      return nodeOf(hypervisor, (await readProviderTraits(caller, id, options)).traits)
    }
    return readEach(ids, readOne, unreadableIn(reading, 'hypervisors'))
  },

  isBusy: () => false,
  isNeverAnnounced: true,
}

import { computeNodeInProgress } from '@mainstay/contract/compute/node-rules'
import type { ComputeNode, ComputeNodeRole } from '@mainstay/contract/compute/nodes'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { CallOptions, ServiceClient } from '../../client/service-client'
import { unreadableIn, type Reading } from '../../kind-reader'
import { listOf } from '../../client/rows'
import { readEach } from '../../read-each'
import { restReader } from '../../rest-reader'
import { customTrait, readTraits, traitVersion } from '../traits'
import { meaningOf } from './service-marks'

/** Since 2.53, a hypervisor has the same ID as its resource provider. Since 2.88, it has no statistics. */
export const hypervisorVersion = '2.53'

const amount = z
  .number()
  .nullish()
  .transform((value) => value ?? null)
export const WireHypervisor = z.object({
  id: z.string(),
  hypervisor_hostname: z.string(),
  hypervisor_type: z.string().default(''),
  host_ip: z.string().nullish(),
  state: z.string(),
  status: z.string(),
  /** The host name that instances report. */
  service: z.object({ id: z.coerce.string(), host: z.string(), disabled_reason: z.string().nullish() }),
  running_vms: amount,
  vcpus: amount,
  vcpus_used: amount,
  memory_mb: amount,
  memory_mb_used: amount,
  cpu_info: z.object({ model: z.string() }).nullable().catch(null),
})
export type WireHypervisor = z.output<typeof WireHypervisor>

const WireService = z.object({
  binary: z.string(),
  host: z.string(),
  status: z.enum(['enabled', 'disabled']).catch('disabled'),
  state: z.enum(['up', 'down']).catch('down'),
})
type WireService = z.output<typeof WireService>

/** Data that is read once for all nodes, or for one. */
interface Around {
  traits: ReadonlyMap<string, readonly string[]>
  services: readonly WireService[]
}

/** Services that only controllers of a cluster run. */
const controllerServices = ['nova-conductor', 'nova-scheduler']

function nodeOf(found: WireHypervisor, traits: readonly string[], around: readonly WireService[]): ComputeNode {
  const host = found.service.host || found.hypervisor_hostname
  const status = found.status === 'enabled' ? 'enabled' : 'disabled'
  const mark = status === 'disabled' ? meaningOf(found.service.disabled_reason ?? null) : { state: null, fenced: null }
  const services = around.filter((service) => service.host === host)
  const isController = services.some(({ binary }) => controllerServices.includes(binary))
  const roles: ComputeNodeRole[] = [...(isController ? (['controller'] as const) : []), 'compute']
  return {
    id: found.id,
    host,
    host_ip: found.host_ip || null,
    cpu_model: found.cpu_info?.model ?? null,
    // show the state of a task even if the node does not respond
    state: mark.state ?? (found.state === 'up' ? 'up' : 'down'),
    fenced_reason: mark.fenced,
    in_maintenance: false,
    hypervisor: { status, vms: found.running_vms ?? 0, hypervisor_type: found.hypervisor_type },
    traits: traits.filter((trait) => trait.startsWith(customTrait)).toSorted(),
    services: services.map(({ binary, ...service }) => ({
      name: binary,
      status: service.status,
      state: service.state,
    })),
    roles,
    custom_params: {},
    statistics: null,
  }
}

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
 * Returns the placements of all providers. Sends one request per placement in use, because there are fewer placements
 * than nodes.
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

/** Reads the services of one host, or of all hosts. A cloud may hide them from the service account. */
async function readServices(
  { caller }: Reading,
  query: { host?: string },
  options: CallOptions,
): Promise<WireService[]> {
  const shape = z.object({ services: listOf(WireService) })
  const found = caller.get('compute', '/os-services', shape, { version: hypervisorVersion, query, ...options })
  try {
    return (await found).services
  } catch (error) {
    if (error instanceof Problem && ['not_found', 'forbidden'].includes(error.code)) return []
    throw error
  }
}

/** Hypervisors with their placements and services. */
export const nodeReader = restReader<WireHypervisor, ComputeNode, Around>({
  kind: 'compute_node',
  service: 'compute',
  path: '/os-hypervisors',
  listPath: '/os-hypervisors/detail',
  key: ['hypervisors', 'hypervisor'],
  item: WireHypervisor,
  version: hypervisorVersion,
  around: {
    async ofAll(reading, signal) {
      const options = signal ? { signal } : {}
      const [traits, services] = await Promise.all([
        traitsByProvider(reading, options),
        readServices(reading, {}, options),
      ])
      return { traits, services }
    },
    async ofOne(reading, { id, service: { host } }, signal) {
      const options = signal ? { signal } : {}
      const { traits } = await readProviderTraits(reading.caller, id, options)
      return { traits: new Map([[id, traits]]), services: await readServices(reading, { host }, options) }
    },
  },
  row: (found, _, { traits, services }) => nodeOf(found, traits.get(found.id) ?? [], services),
  isBusy: computeNodeInProgress,
  isNeverAnnounced: true,
})

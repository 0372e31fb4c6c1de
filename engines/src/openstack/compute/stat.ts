import type { ComputeCapabilities, ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import * as z from 'zod'
import { usedOf } from '../../ports/quotas'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import type { Reading } from '../kind-reader'
import { readEach } from '../read-each'
import { computeQuotasOf } from '../quotas'
import { remembered } from './remembered'

const Provider = z.object({ uuid: z.string() })
const Inventory = z.object({
  total: z.number(),
  reserved: z.number(),
  allocation_ratio: z.number(),
  /** Maximum per instance. */
  max_unit: z.number(),
})
const Inventories = z.object({ inventories: z.object({ VCPU: Inventory.optional(), MEMORY_MB: Inventory.optional() }) })

/** Capacity of one node for instances, and the amounts reserved for the host; memory in MiB. */
export interface NodeRoom {
  vcpus: number
  ram: number
  reserved: { vcpus: number; ram: number }
}

/** Total capacity of all nodes; memory in MiB. */
interface Nodes {
  vcpus: number
  ram: number
  byProvider: ReadonlyMap<string, NodeRoom>
  /** Limits for the largest instance. */
  largest: Pick<ComputeCapabilities, 'max_vcpus' | 'max_ram'>
}

export type ReadNodes = () => Promise<Nodes>

/** How long the capacity is cached: reading it takes one call per node, and nodes rarely change. */
const nodesAreTrueForMs = 5 * 60_000

/** Maximum that the API allows, used where the cloud reports no limit. */
const unbounded = { max_vcpus: 240, max_ram: 1024 * 1024 }

/** Returns a function that reads the node capacity and caches it for a few minutes. */
export const openNodes = (reading: Reading): ReadNodes => remembered(nodesAreTrueForMs, () => readNodes(reading))

async function readNodes({ caller }: Reading): Promise<Nodes> {
  const version = '1.10'
  const { resource_providers } = await caller.get(
    'placement',
    '/resource_providers',
    z.object({ resource_providers: z.array(Provider) }),
    { version },
  )
  const found = await readEach(
    resource_providers.map(({ uuid }) => uuid),
    (uuid) => caller.get('placement', `/resource_providers/${uuid}/inventories`, Inventories, { version }),
  )
  const nodes = [...found.values()].flatMap((answer) => (answer ? [answer.inventories] : []))
  const most = (amounts: (number | undefined)[], otherwise: number) =>
    amounts.reduce<number>((max, amount) => Math.max(max, amount ?? 0), 0) || otherwise
  return {
    vcpus: nodes.reduce((sum, { VCPU }) => sum + roomIn(VCPU), 0),
    ram: nodes.reduce((sum, { MEMORY_MB }) => sum + roomIn(MEMORY_MB), 0),
    byProvider: new Map(
      [...found].flatMap(([id, answer]) => (answer ? [[id, roomOf(answer.inventories)] as const] : [])),
    ),
    largest: {
      max_vcpus: Math.min(
        unbounded.max_vcpus,
        most(
          nodes.map(({ VCPU }) => VCPU?.max_unit),
          unbounded.max_vcpus,
        ),
      ),
      max_ram: Math.min(
        unbounded.max_ram,
        most(
          nodes.map(({ MEMORY_MB }) => MEMORY_MB?.max_unit),
          unbounded.max_ram,
        ),
      ),
    },
  }
}

const roomOf = ({ VCPU, MEMORY_MB }: z.output<typeof Inventories>['inventories']): NodeRoom => ({
  vcpus: roomIn(VCPU),
  ram: roomIn(MEMORY_MB),
  reserved: { vcpus: VCPU?.reserved ?? 0, ram: MEMORY_MB?.reserved ?? 0 },
})

const roomIn = (inventory: z.output<typeof Inventory> | undefined): number =>
  inventory ? Math.floor((inventory.total - inventory.reserved) * inventory.allocation_ratio) : 0

/**
 * Operators see the whole cloud, other users see their project. Usage is counted in the index. A total of -1 means
 * unlimited.
 */
export async function statOf(
  engine: Engine,
  nodes: () => Promise<Nodes>,
  scope: Scope,
): Promise<Omit<ComputeStat, 'storage'>> {
  const isSystem = scope.kind === 'system'
  const whose = isSystem ? null : { project_id: scope.project_id ?? '' }
  const used = await engine.records.transaction(async (tx) => ({
    servers: await usedOf(tx, whose, 'instances'),
    vcpus: await usedOf(tx, whose, 'vcpus'),
    ram: await usedOf(tx, whose, 'ram'),
  }))
  const total = isSystem ? await nodes() : await totalOfProject(engine, scope)
  return {
    servers: { total: used.servers, by_status: {} },
    vcpus: { used: used.vcpus, total: total.vcpus },
    ram: { used: used.ram, total: total.ram },
  }
}

async function totalOfProject(engine: Engine, scope: Scope) {
  if (scope.project_id === null) return { vcpus: 0, ram: 0 }
  const { vcpus, ram } = await computeQuotasOf(engine, scope, scope.project_id)
  return { vcpus: vcpus.limit, ram: ram.limit }
}

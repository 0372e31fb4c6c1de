import { fieldProblem, withField } from '@mainstay/contract/core/problems'
import type { NetworkAccessPolicies } from '@mainstay/contract/networking/access'
import { MIN_MTU_IPV6 } from '@mainstay/contract/networking/address-texts'
import { parseRange } from '@mainstay/contract/networking/addresses'
import type { Network, NetworkChange, PrivateNetworkDraft } from '@mainstay/contract/networking/networks'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { NetworksPort } from '../../../ports/networking'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow, markedBy, markOf } from '../marks'
import { atFields, leftBehind, orElse, type FieldsOfCodes } from '../refusals'
import { checkSubnet, makeSubnet } from '../subnets/body'
import { subnetReader } from '../subnets/reader'
import { usersOf } from '../users'
import { NamedRow, whole } from '../wire'
import { physicalNetworks } from './physical-networks'
import { networkReader } from './reader'
import { grantsIn, grantsOf, isSame, share, type Grant } from './share'

/** Network commands. A network is created with all its subnets and policies, or not at all. */
export function networkCommands(engine: Engine): NetworksPort {
  engine.registerTaskSteps('compute.network.create', createSteps(engine))
  engine.registerTaskSteps('compute.network.update', updateSteps(engine))
  return {
    async createPrivate(scope, draft) {
      const id = await create(engine, scope, draft, {
        attributes: { ...(draft.spoofing_protection ? {} : { port_security_enabled: false }) },
      })
      return shown(engine, id)
    },
    createPublic: (scope, draft) =>
      createOnHardware(engine, scope, draft, 'physical_network', {
        'provider:network_type': 'flat',
        'provider:physical_network': draft.physical_network,
      }),
    createVlan: (scope, draft) =>
      createOnHardware(engine, scope, draft, 'vlan_network', {
        'provider:network_type': 'vlan',
        'provider:physical_network': draft.vlan_network,
        'provider:segmentation_id': draft.vlan_id,
      }),
    update: (scope, id, change) => update(engine, scope, id, change),
    delete: (scope, id) => remove(engine, scope, id),
    physicalNetworks: async () => physicalNetworks(engine.reading.caller),
  }
}

const subjectOf = ({ id, name }: { id: string; name: string }) => ({ kind: 'network', id, name })
const pathOf = (id: string) => `/networks/${encodeURIComponent(id)}`

/** Refreshes the network and the rows of its subnets. */
async function shown(engine: Engine, id: string): Promise<Network> {
  const network = await engine.refresh(networkReader, id)
  for (const subnet of network.subnets) await unlessGone(engine.refresh(subnetReader, subnet.id))
  return network
}

type Draft = Pick<PrivateNetworkDraft, 'name' | 'subnets' | 'mtu'>
interface Making {
  /** Additional attributes of the network. */
  attributes: Record<string, unknown>
  /** Null: the network is not shared, so no policies are created. */
  grants?: Grant[] | null
  /** Fields for errors about the network itself, in addition to its MTU. */
  fields?: FieldsOfCodes
}

const Made = z.object({ network: z.object({ id: z.string(), project_id: z.string() }) })

async function create(
  engine: Engine,
  scope: ProjectScope,
  draft: Draft,
  { attributes, grants = null, fields = {} }: Making,
): Promise<string> {
  const { name, mtu, subnets } = draft
  checkMtu(
    mtu,
    subnets.some(({ cidr }) => parseRange(cidr)?.version === 6),
  )
  const versions = new Set<number>()
  for (const [at, subnet] of subnets.entries()) {
    const { ip_version } = checkSubnet(subnet, `subnets.${at}.`)
    if (versions.has(ip_version))
      throw fieldProblem(`subnets.${at}.cidr`, 'networking.one_subnet_of_version', { version: ip_version })
    versions.add(ip_version)
  }
  const cloud = await engine.as(scope)
  const meant: TrackedTask = {
    name: 'compute.network.create',
    subject: subjectOf({ id: '', name }),
    until: 'settled',
    scope,
    args: { subnets: subnets.length, grants },
  }
  return engine.command(
    meant,
    async (intent) => {
      const body = { name, description: markOf(intent), ...(mtu !== undefined && { mtu }), ...attributes }
      const { network } = await atFields(
        { ...fields, ...(mtu !== undefined && { validation: 'mtu' }) },
        cloud.send('POST', 'network', '/networks', Made, { body: { network: body } }),
      )
      try {
        // share the network before it has addresses that others could use
        if (grants) await share(cloud, network.id, grants)
        for (const [at, subnet] of subnets.entries())
          await makeSubnet(cloud, network.id, subnet, { at: `subnets.${at}.`, projectId: network.project_id })
      } catch (error) {
        await deleteRow(cloud, 'networks', network.id).catch((cause: unknown) => {
          throw leftBehind(cause)
        })
        throw error
      }
      return network.id
    },
    () => [],
  )
}

/** Deletes an incomplete network. */
const createSteps = (engine: Engine): TaskSteps => ({
  async find({ task_id, args }) {
    const { caller } = engine.reading
    const id = await markedBy(caller, 'networks', task_id)
    if (id === null) return false
    const subnets = await whole(
      caller.pages('network', '/subnets', 'subnets', NamedRow, { query: { network_id: id, fields: ['id', 'name'] } }),
    )
    const grants = args['grants'] as Grant[] | null
    const isShared = grants === null || isSame(await grantsIn(caller, id), grants)
    return subnets.length === args['subnets'] && isShared ? [] : false
  },
  async undo({ task_id }) {
    const id = await markedBy(engine.reading.caller, 'networks', task_id)
    if (id !== null) await deleteRow(engine.reading.caller, 'networks', id)
  },
})

async function createOnHardware(
  engine: Engine,
  scope: ProjectScope,
  draft: Draft & { rbac_policies: NetworkPolicies; default_vnic_type: Network['default_vnic_type'] },
  field: 'physical_network' | 'vlan_network',
  attributes: Record<string, unknown>,
) {
  checkVnicType(draft)
  const physical = attributes['provider:physical_network'] as string
  // some clouds accept any name, which would create an isolated network
  const known = await physicalNetworks(engine.reading.caller)
  if (known.length > 0 && !known.some(({ name }) => name === physical))
    throw fieldProblem(field, 'networking.no_infrastructure_network', { name: physical })
  const grants = await grantsOf(draft.rbac_policies, engine.reading)
  const id = await create(engine, scope, draft, {
    attributes: { ...attributes, 'router:external': true },
    grants,
    fields: {
      no_vm_public: field,
      vlan_in_use: field === 'vlan_network' ? 'vlan_id' : field,
      validation: field,
    },
  })
  const network = await shown(engine, id)
  const task_id = await engine.trackToCompletion({
    name: 'compute.network.create',
    subject: subjectOf(network),
    until: 'settled',
    scope,
  })
  return { ...network, task_id }
}
function checkMtu(mtu: number | undefined, hasIpv6: boolean): void {
  if (mtu !== undefined && hasIpv6 && mtu < MIN_MTU_IPV6)
    throw fieldProblem('mtu', 'networking.ipv6_mtu', { least: MIN_MTU_IPV6 })
}

type NetworkPolicies = z.output<typeof NetworkAccessPolicies>

function checkVnicType({ default_vnic_type }: Pick<NetworkChange, 'default_vnic_type'>): void {
  if (default_vnic_type !== undefined && default_vnic_type !== 'normal')
    throw fieldProblem('default_vnic_type', 'networking.type_of_port')
}

const attributesOf = ({ name, mtu, spoofing_protection }: NetworkChange) => ({
  ...(name !== undefined && { name }),
  ...(mtu !== undefined && { mtu }),
  ...(spoofing_protection !== undefined && { port_security_enabled: spoofing_protection }),
})

/** Updates a network. Attributes and policies require separate calls, so a partial change is reverted. */
async function update(engine: Engine, scope: Scope, id: string, change: NetworkChange): Promise<Network> {
  const row = await engine.known<Network>('network', scope, id)
  checkVnicType(change)
  checkMtu(
    change.mtu,
    row.subnets.some(({ ip_version }) => ip_version === 6),
  )
  const { rbac_policies: policies } = change
  if (policies && !row.router_external && !row.physical_network)
    throw fieldProblem('rbac_policies', 'networking.shared_infrastructure')
  const wanted = policies ? await grantsOf(policies, engine.reading) : null
  const cloud = await engine.as(scope)
  const attributes = attributesOf(change)
  const had = attributesOf({
    ...(change.name !== undefined && { name: row.name }),
    ...(change.mtu !== undefined && { mtu: row.mtu }),
    ...(change.spoofing_protection !== undefined && { spoofing_protection: row.spoofing_protection }),
  })
  const before = wanted ? (await grantsIn(cloud, id)).map(({ target, action }) => ({ target, action })) : null
  const put = () =>
    atFields(
      change.mtu === undefined ? {} : { validation: 'mtu', unsupported: 'mtu' },
      cloud.send('PUT', 'network', pathOf(id), z.void(), { body: { network: attributes } }),
    )
  if (wanted && before) {
    const args = { had, grants: before, wanted }
    const meant: TrackedTask = {
      name: 'compute.network.update',
      subject: subjectOf(row),
      until: 'settled',
      scope,
      args,
    }
    const send = async () => {
      if (Object.keys(attributes).length > 0) await put()
      try {
        await share(cloud, id, wanted)
      } catch (error) {
        await takeBack(cloud, id, had, before).catch((cause: unknown) => {
          throw leftBehind(cause)
        })
        throw error
      }
    }
    await engine.command(meant, send, () => [])
    // subnets are shared together with their network
    return shown(engine, id)
  }
  if (Object.keys(attributes).length > 0) await put()
  return engine.refresh(networkReader, id)
}

async function takeBack(cloud: ServiceClient, id: string, had: object, grants: readonly Grant[]): Promise<void> {
  if (Object.keys(had).length > 0)
    await unlessGone(cloud.send('PUT', 'network', pathOf(id), z.void(), { body: { network: had } }))
  await share(cloud, id, grants)
}

const updateSteps = (engine: Engine): TaskSteps => ({
  async find({ subject, args }) {
    return isSame(await grantsIn(engine.reading.caller, subject.id), args['wanted'] as Grant[]) ? [] : false
  },
  undo: ({ subject, args }) =>
    takeBack(engine.reading.caller, subject.id, args['had'] as object, args['grants'] as Grant[]),
})

async function remove(engine: Engine, scope: Scope, id: string): Promise<void> {
  const row = await engine.known<Network>('network', scope, id)
  const cloud = await engine.as(scope)
  await orElse(deleteRow(cloud, 'networks', id), async (problem) => {
    if (problem.code !== 'network_in_use') throw problem
    const { used_by, words } = await usersOf(engine, scope, { network_id: id })
    const message = words === '' ? undefined : says('networking.network_in_use_by', { names: words })
    throw withField(problem, { message, data: { used_by } })
  })
  for (const subnet of row.subnets) await unlessGone(engine.refresh(subnetReader, subnet.id))
  await unlessGone(engine.refresh(networkReader, id))
}

import { randomUUID } from 'node:crypto'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import { mayUseNetwork, type AccessAction, type NetworkAccessPolicy } from '@mainstay/contract/networking/access'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { PhysicalNetwork } from '@mainstay/contract/networking/network-service'
import type {
  Network,
  NetworkChange,
  PrivateNetworkDraft,
  PublicNetworkDraft,
  VlanNetworkDraft,
} from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { EVERYBODY } from '@mainstay/contract/core/readers'
import type { NetworkBegun, NetworksPort } from '../../ports/networking'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { lockOwn } from '../access'
import type { Engine } from '../engine'
import { faultText } from '../faults'
import { checkQuotas } from '../quotas'
import { defaultNetworkId } from './default-network'
import { followNetworkName } from './follow-names'
import { releasePort } from './ports'
import { changing, lockNetworks, namesOf, nameOfUser, now, ownerOf, portsOf, requireNetworks, usersOf } from './rows'
import { keepService } from './service-port'
import { DEFAULT_MTU, putNetwork, refuseOverlapAtHost, refuseMtu, validatedSubnet, subnetRow } from './subnets'

/**
 * The only physical network on this host; external networks are created on it. Each external network and each VLAN is a
 * separate switch without a physical interface, because connecting one requires privileges on the host (decision 0070).
 */
export const physicalNetwork: PhysicalNetwork = {
  ...{ id: 'public', name: 'public', mtu: DEFAULT_MTU },
  ...{ vlans: true, host_only: true },
}
/** Leaves room for the overhead of tunnels between hosts, so that the MTU does not change when nodes are added. */
const tenantMtu = DEFAULT_MTU - 50

type Draft = PrivateNetworkDraft | PublicNetworkDraft | VlanNetworkDraft
type Said = Pick<Network, 'type' | 'router_external' | 'physical_network' | 'vlan_id' | 'spoofing_protection'> & {
  rbac_policies: NetworkAccessPolicy[]
}

/** Creates a network with its subnets. Throws a single error that lists all validation errors in the draft. */
async function makeNetwork(
  engine: Engine,
  tx: RecordsTransaction,
  scope: ProjectScope,
  draft: Draft,
  { status, ...said }: Said & Pick<Network, 'status'>,
): Promise<Network> {
  requireNetworks(engine)
  const subnets = draft.subnets.map((subnet, at) => ({
    name: subnet.name ?? '',
    whole: validatedSubnet(subnet, `subnets.${at}.`),
  }))
  const [first, second] = subnets
  if (first && second && first.whole.ip_version === second.whole.ip_version)
    throw fieldProblem('subnets.1.cidr', 'networking.subnet_of_version', {
      version: first.whole.ip_version,
      cidr: first.whole.cidr,
    })
  const mtu = draft.mtu ?? (said.router_external ? physicalNetwork.mtu : tenantMtu)
  if (mtu > physicalNetwork.mtu && said.router_external)
    throw fieldProblem('mtu', 'networking.mtu_of_network', { most: physicalNetwork.mtu })
  refuseMtu(
    mtu,
    subnets.map(({ whole }) => whole),
    'mtu',
  )
  const id = randomUUID()
  for (const [at, { whole }] of subnets.entries())
    await refuseOverlapAtHost(tx, { id, ...said }, whole, `subnets.${at}.cidr`)
  await checkQuotas(engine, tx, scope, {
    networks: { amount: 1, field: 'name' },
    subnets: { amount: subnets.length, field: 'subnets' },
  })
  const created_at = now()
  const shared = isForEverybody(said.rbac_policies)
  const base = { id, shared, ...ownerOf(scope), created_at }
  const network: Network = {
    ...base,
    ...said,
    name: draft.name,
    status,
    subnets: subnets.map(({ name, whole }) => subnetRow(base, name, whole)),
    ipam_enabled: subnets.length > 0,
    mtu,
    default_vnic_type: 'normal',
  }
  await keepService(tx, network)
  return putNetwork(tx, network)
}

const isForEverybody = (policies: readonly NetworkAccessPolicy[]): boolean =>
  policies.some((it) => 'target_project' in it && it.target_project === EVERYBODY && it.actions.includes('direct'))

const createPrivate = (engine: Engine, scope: ProjectScope, draft: PrivateNetworkDraft): Promise<Network> =>
  changing(engine, (tx) =>
    makeNetwork(engine, tx, scope, draft, {
      ...{ type: 'vxlan', router_external: false, physical_network: null, vlan_id: null },
      ...{ spoofing_protection: draft.spoofing_protection, rbac_policies: [], status: 'ACTIVE' },
    }),
  )

const CREATE = 'compute.network.create'

/** Creates an external network in a task, as on real infrastructure. */
const createExternal = (
  engine: Engine,
  scope: ProjectScope,
  draft: PublicNetworkDraft | VlanNetworkDraft,
): Promise<NetworkBegun> =>
  changing(engine, async (tx) => {
    const vlan = 'vlan_id' in draft ? draft.vlan_id : null
    const field = 'vlan_id' in draft ? 'vlan_network' : 'physical_network'
    const named = 'vlan_id' in draft ? draft.vlan_network : draft.physical_network
    if (named !== physicalNetwork.id && named !== physicalNetwork.name)
      throw fieldProblem(field, 'networking.no_such_infrastructure', { name: physicalNetwork.name })
    if (draft.default_vnic_type === 'direct') throw refuseDirect()
    await refuseUnknownTargets(engine, tx, draft.rbac_policies)
    if (vlan !== null) {
      await tx.exclusive(`vlan:${physicalNetwork.id}`)
      const [known] = await tx.find<Network>('network', { vlan_id: vlan, physical_network: physicalNetwork.id }, 1)
      if (known) throw fieldProblem('vlan_id', 'networking.vlan_taken', { name: known.name })
    }
    const network = await makeNetwork(engine, tx, scope, draft, {
      ...{ type: vlan === null ? 'flat' : 'vlan', router_external: true, physical_network: physicalNetwork.id },
      ...{ vlan_id: vlan, spoofing_protection: true, rbac_policies: draft.rbac_policies, status: 'BUILD' },
    })
    const subject = { kind: 'network', id: network.id, name: network.name }
    const task_id = await tx.startJob({ name: CREATE, subject, args: {}, scope })
    return { ...network, task_id }
  })

const createExternalJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    await engine.carrier.settled()
    await engine.records.transaction(async (tx) => {
      const network = await tx.lock<Network>('network', id)
      if (network?.status === 'BUILD') await tx.put('network', { ...network, status: 'ACTIVE' })
    })
    return engine.records.transaction((tx) => tx.get<Network>('network', id))
  },
  onFailure: ({ subject: { id } }, error) =>
    engine.records.transaction(async (tx) => {
      const network = await tx.lock<Network>('network', id)
      if (network?.status === 'BUILD') await tx.put('network', { ...network, status: 'ERROR', fault: faultText(error) })
    }),
})

const refuseDirect = () => fieldProblem('default_vnic_type', 'networking.no_direct_interfaces')

/** Throws if a policy names a project or domain that does not exist. Checked only if this server manages identities. */
async function refuseUnknownTargets(
  { areas }: Engine,
  tx: RecordsTransaction,
  policies: readonly NetworkAccessPolicy[],
): Promise<void> {
  if (!areas.has('identity')) return
  for (const [at, policy] of policies.entries()) {
    if ('target_domain' in policy) {
      if (!(await tx.get('domain', policy.target_domain)))
        throw fieldProblem(`rbac_policies.${at}.target_domain`, 'identity.no_such_domain')
    } else if (policy.target_project !== EVERYBODY && !(await tx.get('project', policy.target_project)))
      throw fieldProblem(`rbac_policies.${at}.target_project`, 'identity.no_such_project')
  }
}

const updateNetwork = (engine: Engine, scope: Scope, id: string, change: NetworkChange): Promise<Network> =>
  changing(engine, async (tx) => {
    await lockNetworks(tx, [id])
    const before = await lockOwn<Network>(tx, 'network', scope, id)
    const { rbac_policies: policies } = change
    if (change.default_vnic_type === 'direct') throw refuseDirect()
    if (change.mtu !== undefined) {
      if (before.router_external && change.mtu > physicalNetwork.mtu)
        throw fieldProblem('mtu', 'networking.mtu_of_network', { most: physicalNetwork.mtu })
      refuseMtu(change.mtu, before.subnets, 'mtu')
    }
    if (policies) {
      if (!before.physical_network) throw fieldProblem('rbac_policies', 'networking.shared_infrastructure')
      await refuseUnknownTargets(engine, tx, policies)
      await refuseLosing(tx, before, { ...before, rbac_policies: policies, shared: isForEverybody(policies) })
    }
    const shared = policies ? isForEverybody(policies) : before.shared
    const changed: Network = {
      ...before,
      name: change.name ?? before.name,
      mtu: change.mtu ?? before.mtu,
      rbac_policies: policies ?? before.rbac_policies,
      spoofing_protection: change.spoofing_protection ?? before.spoofing_protection,
      shared,
      subnets: before.subnets.map((subnet) => ({ ...subnet, shared })),
    }
    if (changed.name !== before.name) await followNetworkName(tx, changed)
    return putNetwork(tx, changed)
  })

/** Returns the objects that use a network, with the kind of access that each one uses. */
async function usesOf(
  tx: RecordsTransaction,
  networkId: string,
): Promise<{ action: AccessAction; project_id: string; domain_id: string; name: string; id: string; kind: string }[]> {
  const ports = (await portsOf(tx, networkId)).filter(({ device_owner }) => device_owner !== deviceOwners.service)
  const floating = await tx.find<FloatingIp>('floating_ip', { floating_network_id: networkId })
  return [
    ...ports.map((port) => ({
      action: port.device_owner === deviceOwners.routerGateway ? ('routed' as const) : ('direct' as const),
      ...{ ...ownerOf(port), name: nameOfUser(port), id: port.device_id || port.id, kind: port.device_owner },
    })),
    ...floating.map((it) => ({
      ...{ action: 'routed' as const, ...ownerOf(it), name: it.floating_ip_address, id: it.id },
      kind: deviceOwners.floatingIp,
    })),
  ]
}

/** Throws `network_in_use` if a change to the policies would remove access that is in use. */
async function refuseLosing(tx: RecordsTransaction, before: Network, after: Network): Promise<void> {
  const lost = (await usesOf(tx, before.id)).filter((use) => {
    const scope = { kind: 'project', project_id: use.project_id, domain_id: use.domain_id }
    return mayUseNetwork(scope, before, use.action) && !mayUseNetwork(scope, after, use.action)
  })
  if (lost.length === 0) return
  const names = namesOf(lost.map(({ name }) => name))
  throw fieldProblem(
    'rbac_policies',
    'networking.network_in_use_by_others',
    { names },
    {
      data: { used_by: lost.slice(0, 100).map(({ kind, id, name }) => ({ kind, id, name })) },
    },
  )
}

const deleteNetwork = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    await lockNetworks(tx, [id])
    const network = await lockOwn<Network>(tx, 'network', scope, id)
    if (id === defaultNetworkId) throw problem('networking.default_network')
    const uses = await usesOf(tx, id)
    if (uses.length > 0) {
      const ports = (await portsOf(tx, id)).filter(({ device_owner }) => device_owner !== deviceOwners.service)
      throw problem(
        'networking.network_in_use_by',
        { names: namesOf(uses.map(({ name }) => name)) },
        {
          data: {
            used_by: [
              ...usersOf(ports),
              ...uses
                .filter(({ kind }) => kind === deviceOwners.floatingIp)
                .map((it) => ({ kind: it.kind, id: it.id, name: it.name })),
            ],
          },
        },
      )
    }
    await removeNetwork(tx, network)
  })

async function removeNetwork(tx: RecordsTransaction, network: Network): Promise<void> {
  const services = await tx.find<Port>('port', { network_id: network.id, device_owner: deviceOwners.service })
  for (const port of services) await releasePort(tx, port.id)
  for (const subnet of network.subnets) {
    await tx.remove('subnet', subnet.id)
    await tx.removePrivate('subnet', subnet.id)
  }
  await tx.remove('network', network.id)
}

export const networkCommands = (engine: Engine): NetworksPort => ({
  createPrivate: (scope, draft) => createPrivate(engine, scope, draft),
  createPublic: (scope, draft) => createExternal(engine, scope, draft),
  createVlan: (scope, draft) => createExternal(engine, scope, draft),
  update: (scope, id, change) => updateNetwork(engine, scope, id, change),
  delete: (scope, id) => deleteNetwork(engine, scope, id),
  physicalNetworks: (scope) =>
    scope.kind === 'system' ? Promise.resolve([physicalNetwork]) : Promise.reject(notFound()),
})

export const networkJobs = (engine: Engine): Record<string, JobHandler> => ({ [CREATE]: createExternalJob(engine) })

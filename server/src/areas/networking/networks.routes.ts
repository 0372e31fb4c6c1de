import type { Grants } from '@mainstay/contract/permissions'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { networkKind, networks, type ExternalNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import type { NetworkBegun } from '@mainstay/engines/ports/networking'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { mayCall } from '../../session/signed-in'
import { addDoneTask, doneTask } from '../../tasks/done-task'
import type { Tools } from '../../tools'
import { addressHolders, addressUse, freeRangeFor, findHolder } from './addresses.service'

interface DeletionQuery {
  delete_vlan_interfaces?: string | undefined
  params?: string | undefined
}

/**
 * Whether the VLAN interfaces of the network are deleted with it, according to the query or to JSON in the query.
 * Defaults to true.
 */
function takesVlanInterfaces({ delete_vlan_interfaces: plain, params }: DeletionQuery): boolean {
  const inJson = /"delete_vlan_interfaces"\s*:\s*(true|false)/i.exec(params ?? '')?.[1]
  return (plain ?? inJson ?? 'true').toLowerCase() !== 'false'
}

/** Kinds of networks in paths, with the networks that each kind includes. */
const kindsInPaths = {
  private: ({ router_external, physical_network }: Network) => !router_external && !physical_network,
  public: ({ type }: Network) => type !== 'vxlan',
  vlan: ({ type }: Network) => type === 'vlan',
}

export const networkDeleted = doneTask('compute.network.delete')

interface DeletionCall {
  scope: Scope
  params: { id: string }
  query: DeletionQuery
}

/** Deletes a network of the given kind and returns it. Throws `not_found` if the network is of another kind. */
async function deleteOfKind(
  kind: keyof typeof kindsInPaths,
  { scope, params: { id }, query }: DeletionCall,
  tools: Tools,
): Promise<Network> {
  const network = await tools.inventory.view<Network>(networkKind, scope, id)
  if (!kindsInPaths[kind](network)) throw notFound()
  await tools.ports.networking.networks.delete(scope, id, { vlanInterfaces: takesVlanInterfaces(query) })
  return network
}

async function deleteExternal(kind: 'public' | 'vlan', call: DeletionCall, tools: Tools) {
  const { id, name } = await deleteOfKind(kind, call, tools)
  const about = { subject: { kind: 'network', id, name }, scope: call.scope }
  return { task_id: await addDoneTask(tools.inventory, networkDeleted, about) }
}

/** Creates a network on a physical network, or in a VLAN on it, which requires an additional permission. */
async function createExternal(
  { ports }: Tools,
  scope: ProjectScope,
  grants: Grants,
  draft: ExternalNetworkDraft,
): Promise<NetworkBegun> {
  const { physical_network, vlan_network, vlan_id, ...said } = draft
  const { networks: port } = ports.networking
  if (vlan_network !== undefined && vlan_id !== undefined) {
    if (!mayCall(grants, networks.createVlan.needs)) throw problem('core.forbidden')
    return port.createVlan(scope, { ...said, vlan_network, vlan_id })
  }
  return port.createPublic(scope, { ...said, physical_network: physical_network ?? '' })
}

export const networkRoutes = serve(
  networks,
  {
    ...readFrom<Network>(networkKind),
    createPrivate: ({ scope, body }, { ports }) => ports.networking.networks.createPrivate(inProject(scope), body),
    createPublic: ({ scope, caller, body }, tools) => createExternal(tools, inProject(scope), caller.grants, body),
    createVlan: ({ scope, body }, { ports }) => ports.networking.networks.createVlan(inProject(scope), body),
    update: ({ scope, params, body }, { ports }) => ports.networking.networks.update(scope, params.id, body),
    delete: ({ scope, params, query }, { ports }) =>
      ports.networking.networks.delete(scope, params.id, { vlanInterfaces: takesVlanInterfaces(query) }),
    async deleteOfKind(call, tools) {
      if (call.params.kind !== 'private') throw notFound()
      await deleteOfKind('private', call, tools)
    },
    deletePublic: (call, tools) => deleteExternal('public', call, tools),
    deleteVlan: (call, tools) => deleteExternal('vlan', call, tools),
    addressUse: async ({ scope, query }, tools) => ({ data: await addressUse(tools, scope, query) }),
    freeRange: async ({ scope, query }, tools) => ({ cidr: await freeRangeFor(tools, scope, query) }),
    whoHas: async ({ scope, query }, tools) => ({ data: await findHolder(tools, scope, query.address) }),
    holders: ({ scope, params }, tools) => addressHolders(tools, scope, params.id),
  },
  { kind: networkKind },
)

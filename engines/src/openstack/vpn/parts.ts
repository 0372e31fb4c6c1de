import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem, problem, withField } from '@mainstay/contract/core/problems'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { EndpointGroupDraft, VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type {
  IkePolicy,
  IkePolicyDraft,
  IpsecPolicy,
  IpsecPolicyDraft,
  PolicyChange,
} from '@mainstay/contract/vpn/policies'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { ProjectScope, Scope } from '../../ports/scope'
import type { VpnPort } from '../../ports/vpn'
import type { ServiceClient } from '../client/service-client'
import type { Engine } from '../engine'
import { orElse } from '../networking/refusals'
import { unlessGone } from '../read-each'
import type { RestReader } from '../rest-reader'
import { endpointGroupReader } from './endpoint-groups'
import { remarked } from './marks'
import { ikePolicyReader, ipsecPolicyReader } from './policies'
import { groupRefusal, policyRefusal } from './refusals'
import type { VpnServiceOfCloud } from './learn'
import { at, change, make, type ListName } from './wire'

/* Policies and endpoint groups, created separately or with a connection. */

type PartList = 'ike' | 'ipsec' | 'groups'
type PartRow = (IkePolicy | IpsecPolicy | VpnEndpointGroup) & { [field: string]: unknown }

const readers = {
  ike: ikePolicyReader,
  ipsec: ipsecPolicyReader,
  groups: endpointGroupReader,
} as unknown as Record<PartList, RestReader<{ id: string; description: string }, PartRow>>

/** Fields of a connection that reference parts of each list. */
const naming: Readonly<Record<PartList, readonly string[]>> = {
  ike: ['ikepolicy_id'],
  ipsec: ['ipsecpolicy_id'],
  groups: ['local_ep_group_id', 'peer_ep_group_id'],
}

/** Throws if the cloud has no VPN. */
export function requireVpn({ unavailable }: Pick<VpnServiceOfCloud, 'unavailable'>): void {
  if (unavailable !== null) throw problem('networking.unavailable', { reason: unavailable })
}

/** Creates a policy and returns its ID. `place`: prefix of its fields in the request. */
export const makePolicy = (
  cloud: ServiceClient,
  list: 'ike' | 'ipsec',
  draft: IkePolicyDraft | IpsecPolicyDraft,
  place = '',
): Promise<string> =>
  orElse(make(cloud, list, draft), (problem) => {
    throw policyRefusal(problem, place)
  })

/** Creates an endpoint group and returns its ID. `place`: prefix of its fields in the request. */
export const makeGroup = (cloud: ServiceClient, draft: EndpointGroupDraft, place = ''): Promise<string> =>
  orElse(make(cloud, 'groups', draft), (problem) => {
    throw groupRefusal(problem, place)
  })

/** Throws an error on the first subnet that does not exist or belongs to another project. */
export async function checkSubnets(
  { records }: Pick<Engine, 'records'>,
  { project_id }: Pick<ProjectScope, 'project_id'>,
  { type, endpoints }: EndpointGroupDraft,
  place = '',
): Promise<void> {
  if (type !== 'subnet') return
  for (const [index, id] of endpoints.entries()) {
    const subnet = await records.transaction((tx) => tx.get<Subnet>('subnet', id))
    if (subnet?.project_id !== project_id) throw fieldProblem(`${place}endpoints.${index}`, 'vpn.no_such_subnet')
  }
}

/** Returns the connections that use a part, from the index. */
const usersOf = (engine: Engine, list: PartList, id: string): Promise<IpsecSiteConnection[]> =>
  engine.records.transaction(async (tx) => {
    const found: IpsecSiteConnection[] = []
    for (const field of naming[list])
      found.push(...(await tx.find<IpsecSiteConnection>(connectionKind.name, { [field]: id })))
    return found
  })

/** Adds the connections that use the part to an error. */
async function inUse(engine: Engine, list: PartList, id: string, problem: Problem): Promise<Problem> {
  if (problem.code !== 'policy_in_use' && problem.code !== 'endpoint_group_in_use') return problem
  const users = await usersOf(engine, list, id)
  const names = users.map(({ name }) => name).join(', ')
  return withField(problem, {
    message: names === '' ? undefined : says('vpn.used_by_connections', { names }),
    data: { used_by: users.map((user) => ({ kind: connectionKind.name, id: user.id, name: user.name })) },
  })
}

const update =
  (engine: Engine, list: PartList) =>
  async (scope: Scope, id: string, { name, description }: PolicyChange) => {
    await engine.known<PartRow>(readers[list].kind, scope, id)
    const before = await readers[list].one(engine.reading.caller, id)
    const body = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: remarked(description, before.description) }),
    }
    if (Object.keys(body).length > 0)
      await orElse(change(await engine.as(scope), list, id, body), async (problem) => {
        throw await inUse(engine, list, id, problem)
      })
    return engine.refresh(readers[list], id)
  }

const remove = (engine: Engine, list: PartList) => async (scope: Scope, id: string) => {
  await engine.known<PartRow>(readers[list].kind, scope, id)
  await orElse(deleteOf(await engine.as(scope), list, id), async (problem) => {
    throw await inUse(engine, list, id, problem)
  })
  await unlessGone(engine.refresh(readers[list], id))
}

/** Deletes a row. Succeeds if the row no longer exists. */
export const deleteOf = async (cloud: ServiceClient, list: ListName, id: string): Promise<void> => {
  await unlessGone(cloud.send('DELETE', 'network', at(list, id), z.void()))
}

const partOf = <List extends PartList>(engine: Engine, service: VpnServiceOfCloud, list: List) => ({
  async create(scope: ProjectScope, draft: IkePolicyDraft | IpsecPolicyDraft | EndpointGroupDraft) {
    requireVpn(service)
    if ('endpoints' in draft) await checkSubnets(engine, scope, draft)
    const cloud = await engine.as(scope)
    const id = await ('endpoints' in draft ? makeGroup(cloud, draft) : makePolicy(cloud, list as 'ike', draft))
    return engine.refresh(readers[list], id)
  },
  update: update(engine, list),
  delete: remove(engine, list),
})

/** Commands for policies and endpoint groups. The cloud rejects all changes to a policy in use, even to its name. */
export const partCommands = (
  engine: Engine,
  service: VpnServiceOfCloud,
): Pick<VpnPort, 'ikePolicies' | 'ipsecPolicies' | 'endpointGroups'> =>
  ({
    ikePolicies: partOf(engine, service, 'ike'),
    ipsecPolicies: partOf(engine, service, 'ipsec'),
    endpointGroups: partOf(engine, service, 'groups'),
  }) as unknown as Pick<VpnPort, 'ikePolicies' | 'ipsecPolicies' | 'endpointGroups'>

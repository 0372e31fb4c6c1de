import { randomUUID } from 'node:crypto'
import { type ProblemCode, fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { EndpointGroupDraft, VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type {
  IkePolicy,
  IkePolicyDraft,
  IpsecPolicy,
  IpsecPolicyDraft,
  PolicyChange,
} from '@mainstay/contract/vpn/policies'
import type { VpnPort } from '../../ports/vpn'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { actsOn, getOwn, lockOwn } from '../access'
import type { Engine } from '../engine'
import { lockRouting, namesOf, now, ownerOf, type Owner } from '../networking/rows'
import { connections, endpointGroups, ikePolicies, ipsecPolicies, wasMadeWith } from './rows'

/*
 * Policies and endpoint groups, which are created independently or with a connection. They cannot be deleted while a
 * connection uses them.
 */

const fresh = (owner: Owner) => {
  const at = now()
  return { id: randomUUID(), ...ownerOf(owner), created_at: at, updated_at: at }
}

export async function makeIkePolicy(tx: RecordsTransaction, owner: Owner, draft: IkePolicyDraft): Promise<IkePolicy> {
  const made: IkePolicy = { ...fresh(owner), ...draft }
  await tx.put(ikePolicies, made)
  return made
}

export async function makeIpsecPolicy(
  tx: RecordsTransaction,
  owner: Owner,
  draft: IpsecPolicyDraft,
): Promise<IpsecPolicy> {
  const made: IpsecPolicy = { ...fresh(owner), ...draft }
  await tx.put(ipsecPolicies, made)
  return made
}

/** Creates an endpoint group. `at` is the path of the draft in the request. */
export async function makeGroup(
  tx: RecordsTransaction,
  owner: Owner,
  draft: EndpointGroupDraft,
  at = '',
): Promise<VpnEndpointGroup> {
  if (draft.type === 'subnet')
    for (const [place, id] of draft.endpoints.entries()) {
      const subnet = await tx.get<Subnet>('subnet', id)
      if (subnet?.project_id !== owner.project_id) throw fieldProblem(`${at}endpoints.${place}`, 'vpn.no_such_subnet')
    }
  const made: VpnEndpointGroup = { ...fresh(owner), ...draft }
  await tx.put(endpointGroups, made)
  return made
}

/** Connection fields that refer to each kind of part. */
const uses = {
  [ikePolicies]: ['ikepolicy_id'],
  [ipsecPolicies]: ['ipsecpolicy_id'],
  [endpointGroups]: ['local_ep_group_id', 'peer_ep_group_id'],
} as const
type PartKind = keyof typeof uses

export async function usersOfPart(tx: RecordsTransaction, kind: string, id: string): Promise<IpsecSiteConnection[]> {
  const fields = uses[kind as PartKind] as readonly string[]
  const found = await Promise.all(fields.map((field) => tx.find<IpsecSiteConnection>(connections, { [field]: id })))
  return found.flat()
}

async function removePart(tx: RecordsTransaction, kind: string, id: string): Promise<void> {
  await tx.remove(kind, id)
  await tx.removePrivate(kind, id)
}

/** Deletes a part that was created with a connection and is no longer used. */
export async function dropUnused(tx: RecordsTransaction, kind: string, id: string): Promise<void> {
  if ((await usersOfPart(tx, kind, id)).length > 0 || !(await wasMadeWith(tx, kind, id))) return
  await removePart(tx, kind, id)
}

type Part = (IkePolicy | IpsecPolicy | VpnEndpointGroup) & { id: string }

/** Locks a part that belongs to the project. Throws an error on `field` if it does not exist. */
export async function namedPart<Row extends Part>(
  tx: RecordsTransaction,
  kind: string,
  owner: Owner,
  id: string,
  field: string,
): Promise<Row> {
  const row = await tx.lock<Row>(kind, id)
  if (!row || row.project_id !== owner.project_id) throw fieldProblem(field, 'core.not_in_project')
  return row
}

const change =
  (engine: Engine, kind: string) =>
  (scope: Scope, id: string, { name, description }: PolicyChange) =>
    engine.records.transaction(async (tx) => {
      await getOwn<Part>(tx, kind, scope, id)
      const row = await lockOwn<Part>(tx, kind, scope, id)
      const changed = {
        ...row,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        updated_at: now(),
      }
      await tx.put(kind, changed)
      return changed
    })

const remove = (engine: Engine, kind: string, code: ProblemCode) => (scope: Scope, id: string) =>
  engine.records.transaction(async (tx) => {
    await getOwn<Part>(tx, kind, scope, id)
    await lockRouting(tx)
    const row = await tx.lock<Part>(kind, id)
    if (!row || !actsOn(scope, row.project_id)) return
    const users = await usersOfPart(tx, kind, id)
    if (users.length > 0)
      throw problem(
        'vpn.used_by_connections',
        { names: namesOf(users.map(({ name }) => name)) },
        { code, data: { used_by: users.map((it) => ({ kind: connections, id: it.id, name: it.name })) } },
      )
    await removePart(tx, kind, id)
  })

export const partCommands = (engine: Engine): Pick<VpnPort, 'ikePolicies' | 'ipsecPolicies' | 'endpointGroups'> => ({
  ikePolicies: {
    create: (scope, draft) => engine.records.transaction((tx) => makeIkePolicy(tx, scope, draft)),
    update: change(engine, ikePolicies) as VpnPort['ikePolicies']['update'],
    delete: remove(engine, ikePolicies, 'policy_in_use'),
  },
  ipsecPolicies: {
    create: (scope, draft) => engine.records.transaction((tx) => makeIpsecPolicy(tx, scope, draft)),
    update: change(engine, ipsecPolicies) as VpnPort['ipsecPolicies']['update'],
    delete: remove(engine, ipsecPolicies, 'policy_in_use'),
  },
  endpointGroups: {
    create: (scope, draft) => engine.records.transaction((tx) => makeGroup(tx, scope, draft)),
    update: change(engine, endpointGroups) as VpnPort['endpointGroups']['update'],
    delete: remove(engine, endpointGroups, 'endpoint_group_in_use'),
  },
})

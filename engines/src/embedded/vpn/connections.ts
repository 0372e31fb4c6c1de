import { randomUUID } from 'node:crypto'
import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import { versionOf } from '@mainstay/contract/networking/addresses'
import type { Router } from '@mainstay/contract/networking/routers'
import {
  dpdFault,
  wholeDpd,
  type ConnectionChange,
  type ConnectionDraft,
  type IpsecSiteConnection,
} from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type { IkePolicy, IpsecPolicy } from '@mainstay/contract/vpn/policies'
import type { VpnService } from '@mainstay/contract/vpn/vpn-services'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { localAddressFor, placesOf, rangesOf, sentAt as sent, type SidePlaces } from '../../vpn/sides'
import type { Engine } from '../engine'
import { connectedSubnets } from '../networking/router-interfaces'
import { changing, lockRouting, now, ownerOf } from '../networking/rows'
import { connectionsOf } from '../networking/tunnels-of-routers'
import { checkQuotas } from '../quotas'
import { getOwn } from '../access'
import { CREATE, RESTART } from './jobs'
import { dropUnused, makeGroup, makeIkePolicy, makeIpsecPolicy, namedPart } from './parts'
import {
  connections,
  endpointGroups,
  ikePolicies,
  ipsecPolicies,
  keepKey,
  keyOf,
  lockConnection,
  noteMadeWith,
  refuseWhileMade,
  requireVpn,
  vpnServices,
} from './rows'

/** Address ranges on both sides of a connection. Throws if they are invalid. */
async function selectorsOf(
  tx: RecordsTransaction,
  router: Router,
  { id, ike_version }: Pick<IpsecSiteConnection, 'id' | 'ike_version'>,
  groups: { local: VpnEndpointGroup; remote: VpnEndpointGroup },
  places: SidePlaces,
): Promise<Pick<IpsecSiteConnection, 'local_subnets' | 'remote_subnets'>> {
  const connected = await connectedSubnets(tx, router)
  const others = (await connectionsOf(tx, router.id)).filter((other) => other.id !== id)
  return rangesOf(groups, { ike_version, router, connected, others }, places)
}

/**
 * Throws if another connection between the same identities uses a different key, because the responder selects the key
 * by identity.
 */
async function refuseOtherKey(
  engine: Engine,
  tx: RecordsTransaction,
  connection: IpsecSiteConnection,
  psk: string,
): Promise<void> {
  for (const other of await connectionsOf(tx, connection.router_id)) {
    const isSame = other.peer_id === connection.peer_id && other.local_id === connection.local_id
    if (other.id === connection.id || !isSame) continue
    const key = await keyOf(tx, engine.seals, other.id)
    if (key && key.psk !== psk) throw fieldProblem(`${sent}psk`, 'vpn.same_ends', { name: other.name })
  }
}

const madeNow = <Row extends { id: string }>(tx: RecordsTransaction, kind: string, row: Row): Promise<Row> =>
  noteMadeWith(tx, kind, row.id).then(() => row)

async function groupFor(
  tx: RecordsTransaction,
  owner: ProjectScope | IpsecSiteConnection,
  side: 'local' | 'peer',
  draft: ConnectionDraft['local_ep_group'] | ConnectionDraft['peer_ep_group'],
  id: string | undefined,
): Promise<VpnEndpointGroup> {
  if (draft) return madeNow(tx, endpointGroups, await makeGroup(tx, owner, draft, `${side}_ep_group.`))
  const field = `${sent}${side}_ep_group_id`
  const group = await namedPart<VpnEndpointGroup>(tx, endpointGroups, owner, id ?? '', field)
  const type = side === 'local' ? 'subnet' : 'cidr'
  if (group.type !== type)
    throw fieldProblem(field, side === 'local' ? 'vpn.choose_subnet_group' : 'vpn.choose_range_group')
  return group
}

async function serviceFor(tx: RecordsTransaction, owner: ProjectScope, router: Router): Promise<VpnService> {
  const [found] = await tx.find<VpnService>(vpnServices, { router_id: router.id }, 1)
  if (found) return found
  const addresses = router.external_gateway_info?.external_fixed_ips.map(({ ip_address }) => ip_address) ?? []
  const at = now()
  const made: VpnService = {
    ...{ id: randomUUID(), name: router.name, router_id: router.id, router_name: router.name },
    status: 'PENDING_CREATE',
    external_v4_ip: addresses.find((it) => versionOf(it) === 4) ?? null,
    external_v6_ip: addresses.find((it) => versionOf(it) === 6) ?? null,
    ...{ ...ownerOf(owner), created_at: at, updated_at: at },
  }
  await tx.put(vpnServices, made)
  return made
}

export const createConnection = (
  engine: Engine,
  scope: ProjectScope,
  draft: ConnectionDraft,
): Promise<IpsecSiteConnection> =>
  changing(engine, async (tx) => {
    requireVpn(engine)
    await lockRouting(tx)
    const { ipsec_site_connection: said, vpnservice } = draft
    const router = await tx.get<Router>('router', vpnservice.router_id)
    if (!router || router.project_id !== scope.project_id || router.status === 'PENDING_DELETE')
      throw fieldProblem('vpnservice.router_id', 'vpn.no_such_router')
    if (!router.external_gateway_info) throw fieldProblem('vpnservice.router_id', 'vpn.router_without_gateway')
    await checkQuotas(engine, tx, scope, { ipsec_site_connection: { amount: 1, field: `${sent}name` } })
    const ike = draft.ikepolicy
      ? await madeNow(tx, ikePolicies, await makeIkePolicy(tx, scope, draft.ikepolicy))
      : await namedPart<IkePolicy>(tx, ikePolicies, scope, said.ikepolicy_id ?? '', `${sent}ikepolicy_id`)
    const ipsec = draft.ipsecpolicy
      ? await madeNow(tx, ipsecPolicies, await makeIpsecPolicy(tx, scope, draft.ipsecpolicy))
      : await namedPart<IpsecPolicy>(tx, ipsecPolicies, scope, said.ipsecpolicy_id ?? '', `${sent}ipsecpolicy_id`)
    const groups = {
      local: await groupFor(tx, scope, 'local', draft.local_ep_group, said.local_ep_group_id),
      remote: await groupFor(tx, scope, 'peer', draft.peer_ep_group, said.peer_ep_group_id),
    }
    const id = randomUUID()
    const { ike_version } = ike
    const selectors = await selectorsOf(tx, router, { id, ike_version }, groups, placesOf(draft))
    const at = now()
    const made: IpsecSiteConnection = {
      ...{ id, name: said.name, description: said.description },
      ...{ status: 'PENDING_CREATE', reason: null, status_changed_at: at },
      ...{ peer_address: said.peer_address, peer_id: said.peer_id ?? said.peer_address, local_id: said.local_id },
      ...{ initiator: said.initiator, dpd: wholeDpd(said.dpd), split_selector: said.split_selector },
      ...{ ikepolicy_id: ike.id, ipsecpolicy_id: ipsec.id, ike_version },
      ...{ local_ep_group_id: groups.local.id, peer_ep_group_id: groups.remote.id },
      vpnservice_id: (await serviceFor(tx, scope, router)).id,
      ...{ router_id: router.id, router_name: router.name, local_address: localAddressFor(router, said.peer_address) },
      ...selectors,
      ...{ ...ownerOf(scope), created_at: at, updated_at: at },
    }
    await refuseOtherKey(engine, tx, made, said.psk)
    await tx.put(connections, made)
    await keepKey(tx, engine.seals, id, said.psk)
    await tx.startJob({ name: CREATE, subject: { kind: connections, id, name: said.name }, args: {}, scope })
    return made
  })

export const updateConnection = (
  engine: Engine,
  scope: Scope,
  id: string,
  change: ConnectionChange,
): Promise<IpsecSiteConnection> =>
  changing(engine, async (tx) => {
    await getOwn<IpsecSiteConnection>(tx, connections, scope, id)
    await lockRouting(tx)
    const before = await lockConnection(tx, scope, id)
    const { psk, dpd, name, description, local_ep_group_id, peer_ep_group_id, ...settings } =
      change.ipsec_site_connection ?? {}
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
    const changed: IpsecSiteConnection = {
      ...before,
      ...given,
      dpd: wholeDpd(dpd ?? {}, before.dpd),
      name: name ?? before.name,
      description: description ?? before.description,
      updated_at: now(),
    }
    const fault = dpdFault(changed.dpd)
    if (fault) throw problemOf(fault, { field: `${sent}dpd.timeout` })
    // if the peer was identified by its address, identify it by the new one
    if (settings.peer_address !== undefined && settings.peer_id === undefined && before.peer_id === before.peer_address)
      changed.peer_id = changed.peer_address
    const isOtherSide =
      local_ep_group_id !== undefined ||
      peer_ep_group_id !== undefined ||
      change.local_ep_group !== undefined ||
      change.peer_ep_group !== undefined
    const router = (await tx.get<Router>('router', before.router_id))!
    if (isOtherSide) {
      const groups = {
        local: await groupFor(
          tx,
          before,
          'local',
          change.local_ep_group,
          local_ep_group_id ?? before.local_ep_group_id,
        ),
        remote: await groupFor(tx, before, 'peer', change.peer_ep_group, peer_ep_group_id ?? before.peer_ep_group_id),
      }
      Object.assign(changed, await selectorsOf(tx, router, before, groups, placesOf(change)))
      Object.assign(changed, { local_ep_group_id: groups.local.id, peer_ep_group_id: groups.remote.id })
    }
    if (changed.peer_address !== before.peer_address)
      changed.local_address = localAddressFor(router, changed.peer_address)
    const key = psk ?? (await keyOf(tx, engine.seals, id))?.psk
    if (key !== undefined) await refuseOtherKey(engine, tx, changed, key)
    if (psk !== undefined) await keepKey(tx, engine.seals, id, psk)
    // changing the name does not affect the tunnel
    const isOther = Object.keys(given).length > 0 || psk !== undefined || dpd !== undefined || isOtherSide
    if (isOther && before.status !== 'PENDING_CREATE')
      Object.assign(changed, { status: 'PENDING_UPDATE', reason: null, status_changed_at: now() })
    await tx.put(connections, changed)
    for (const group of [before.local_ep_group_id, before.peer_ep_group_id]) await dropUnused(tx, endpointGroups, group)
    return changed
  })

export const deleteConnection = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    await getOwn<IpsecSiteConnection>(tx, connections, scope, id)
    await lockRouting(tx)
    const row = await lockConnection(tx, scope, id)
    await tx.remove(connections, id)
    await tx.removePrivate(connections, id)
    await dropUnused(tx, ikePolicies, row.ikepolicy_id)
    await dropUnused(tx, ipsecPolicies, row.ipsecpolicy_id)
    for (const group of [row.local_ep_group_id, row.peer_ep_group_id]) await dropUnused(tx, endpointGroups, group)
    if ((await connectionsOf(tx, row.router_id)).length === 0) await tx.remove(vpnServices, row.vpnservice_id)
  })

export const restartConnection = (engine: Engine, scope: Scope, id: string): Promise<IpsecSiteConnection> =>
  changing(engine, async (tx) => {
    requireVpn(engine)
    const row = await lockConnection(tx, scope, id)
    refuseWhileMade(row)
    const changed = {
      ...row,
      status: 'PENDING_UPDATE' as const,
      reason: null,
      status_changed_at: now(),
      updated_at: now(),
    }
    await tx.put(connections, changed)
    await tx.startJob({ name: RESTART, subject: { kind: connections, id, name: row.name }, args: {}, scope })
    return changed
  })

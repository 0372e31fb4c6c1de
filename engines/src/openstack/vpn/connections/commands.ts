import { says, type RuleText } from '@mainstay/contract/core/said'
import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import type { Router } from '@mainstay/contract/networking/routers'
import { isPending } from '@mainstay/contract/vpn/connection-status'
import {
  connectionKind,
  dpdFault,
  wholeDpd,
  type ConnectionChange,
  type IpsecSiteConnection,
} from '@mainstay/contract/vpn/connections'
import type { Scope } from '../../../ports/scope'
import type { IpsecSiteConnectionsPort } from '../../../ports/vpn'
import { localAddressFor, sentAt } from '../../../vpn/sides'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { leftBehind, orElse } from '../../networking/refusals'
import { unlessGone } from '../../read-each'
import type { VpnServiceOfCloud } from '../learn'
import { remarked } from '../marks'
import { deleteOf, makeGroup, requireVpn } from '../parts'
import { connectionRefusal } from '../refusals'
import { stuckConnectionReason } from '../status'
import { change as changeRow } from '../wire'
import { checkSides, refuseForeign } from './around'
import { createConnection, shown, takeBack } from './create'
import { connectionReader } from './reader'
import { dropUnused, partsOf, registerConnectionSteps, type PartsOfConnection } from './steps'

export function connectionCommands(engine: Engine, service: VpnServiceOfCloud): IpsecSiteConnectionsPort {
  registerConnectionSteps(engine)
  const lacks = async (scope: Scope, id: string, words: RuleText): Promise<never> => {
    await engine.known<IpsecSiteConnection>(connectionKind.name, scope, id)
    throw problemOf(words)
  }
  return {
    async create(scope, draft) {
      requireVpn(service)
      return createConnection(engine, scope, draft)
    },
    update: (scope, id, said) => update(engine, scope, id, said),
    delete: (scope, id) => remove(engine, scope, id),
    restart: (scope, id) => lacks(scope, id, says('vpn.no_restart')),
    diagnosis: (scope, id) => lacks(scope, id, says('vpn.no_reason')),
    stats: (scope, id) => lacks(scope, id, says('vpn.no_counters')),
  }
}

const pendingProblem = (reason: string | null): Problem =>
  reason === null ? problem('vpn.cloud_is_busy') : problem('vpn.pending_because', { reason })

async function update(engine: Engine, scope: Scope, id: string, said: ConnectionChange): Promise<IpsecSiteConnection> {
  const row = await loadUnlessRefused(engine, connectionReader, scope, id, (now) =>
    isPending(now.status) ? pendingProblem(stuckConnectionReason(now, Date.now())) : null,
  )
  const { dpd, description, local_id, split_selector, ...plain } = said.ipsec_site_connection ?? {}
  refuseForeign({ split_selector })
  const whole = wholeDpd(dpd ?? {}, row.dpd)
  const fault = dpd && dpdFault(whole)
  if (fault) throw problemOf(fault, { field: `${sentAt}dpd.timeout` })
  const { peer_address, peer_id } = plain
  const router = await engine.records.transaction((tx) => tx.get<Router>('router', row.router_id))
  if (router && peer_address !== undefined && peer_address !== row.peer_address) localAddressFor(router, peer_address)
  await checkChange(engine, row, router, said)

  const cloud = await engine.as(scope)
  const body: Record<string, unknown> = {
    ...plain,
    ...(dpd && { dpd: whole }),
    ...(local_id !== undefined && { local_id: local_id ?? '' }),
    // if the peer is identified by its address, use the new address
    ...(peer_address !== undefined &&
      peer_id === undefined &&
      row.peer_id === row.peer_address && { peer_id: peer_address }),
  }
  if (description !== undefined) {
    const wire = await connectionReader.one(engine.reading.caller, id)
    body['description'] = remarked(description, wire.description)
  }
  const made: PartsOfConnection = []
  try {
    for (const side of ['local', 'peer'] as const) {
      const group = said[`${side}_ep_group`]
      if (group) made.push(['groups', await makeGroup(cloud, group, `${side}_ep_group.`)])
      if (group) body[`${side}_ep_group_id`] = made.at(-1)![1]
    }
    if (Object.keys(body).length > 0)
      await orElse(changeRow(cloud, 'connections', id, body), (problem) => {
        throw connectionRefusal(problem)
      })
  } catch (error) {
    await takeBack(cloud, made).catch((cause: unknown) => {
      throw leftBehind(cause)
    })
    throw error
  }
  for (const [list, part] of made) await shown(engine, list, part)
  const changed = await engine.refresh(connectionReader, id)
  await dropReplaced(engine, cloud, row, changed)
  return changed
}

/** Validates changes to either side. Throws an error on an invalid field. */
async function checkChange(
  engine: Engine,
  row: IpsecSiteConnection,
  router: Router | null,
  said: ConnectionChange,
): Promise<void> {
  const { local_ep_group_id, peer_ep_group_id } = said.ipsec_site_connection ?? {}
  const { local_ep_group, peer_ep_group } = said
  const isOther = [local_ep_group, peer_ep_group, local_ep_group_id, peer_ep_group_id].some((it) => it !== undefined)
  if (!isOther || !router) return
  const isLegacy = row.local_ep_group_id === '' && row.peer_ep_group_id === ''
  if (isLegacy) {
    const field = local_ep_group ? 'local_ep_group' : peer_ep_group ? 'peer_ep_group' : `${sentAt}local_ep_group_id`
    throw fieldProblem(field, 'vpn.no_endpoint_groups')
  }
  await checkSides(
    engine,
    row,
    { ...row, router },
    { local_ep_group, peer_ep_group },
    {
      local_ep_group_id: local_ep_group_id ?? row.local_ep_group_id,
      peer_ep_group_id: peer_ep_group_id ?? row.peer_ep_group_id,
    },
  )
}

/** Deletes endpoint groups that were created with the connection but have been replaced. */
async function dropReplaced(
  engine: Engine,
  cloud: ServiceClient,
  before: IpsecSiteConnection,
  now: IpsecSiteConnection,
): Promise<void> {
  const kept = new Set([now.local_ep_group_id, now.peer_ep_group_id])
  const groups = [before.local_ep_group_id, before.peer_ep_group_id].filter((id) => !kept.has(id))
  await dropUnused(
    engine,
    cloud,
    groups.map((id) => ['groups', id]),
  )
}

async function remove(engine: Engine, scope: Scope, id: string): Promise<void> {
  const row = await engine.known<IpsecSiteConnection>(connectionKind.name, scope, id)
  const cloud = await engine.as(scope)
  const meant: TrackedTask = {
    ...{ name: 'compute.ipsec_site_connection.delete', until: 'gone', scope, args: { parts: partsOf(row) } },
    subject: { kind: connectionKind.name, id, name: row.name },
  }
  await engine.command(meant, () => deleteOf(cloud, 'connections', id))
  await unlessGone(engine.refresh(connectionReader, id))
}

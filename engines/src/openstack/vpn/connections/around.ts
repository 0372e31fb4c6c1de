import { Problem, type ProblemCode, fieldProblem } from '@mainstay/contract/core/problems'
import type { Router } from '@mainstay/contract/networking/routers'
import { connectionKind, type ConnectionDraft, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type { Entity } from '../../../ports/records'
import type { ProjectScope } from '../../../ports/scope'
import { placesOf, rangesOf, sentAt } from '../../../vpn/sides'
import type { Engine } from '../../engine'
import type { KindReader } from '../../kind-reader'
import { connectedOf } from '../../networking/routers/legs'
import { routerReader } from '../../networking/routers/reader'
import { unlessGone } from '../../read-each'
import { endpointGroupReader } from '../endpoint-groups'
import { checkSubnets } from '../parts'

/*
 * Checks the objects that a connection depends on before calling the cloud, which accepts some configurations that
 * cannot work.
 */

type Owner = Pick<ProjectScope, 'project_id'>

/** Returns the project's policy or endpoint group that a request references. */
export async function namedPart<Row extends Entity & { project_id: string }>(
  engine: Engine,
  reader: KindReader<Row>,
  owner: Owner,
  id: string | undefined,
  field: string,
): Promise<Row> {
  const known = id === undefined ? null : await engine.records.transaction((tx) => tx.get<Row>(reader.kind, id))
  if (!known || known.project_id !== owner.project_id) throw fieldProblem(field, 'core.not_in_project')
  return known
}

/** Returns the router for a new connection, refreshed if it has no gateway in the index. */
export async function routerFor(engine: Engine, { project_id }: Owner, id: string): Promise<Router> {
  const field = 'vpnservice.router_id'
  const known = await engine.records.transaction((tx) => tx.get<Router>('router', id))
  if (!known || known.project_id !== project_id) throw fieldProblem(field, 'vpn.no_such_router')
  const router = known.external_gateway_info ? known : await unlessGone(engine.refresh(routerReader, id))
  if (!router) throw fieldProblem(field, 'vpn.no_such_router')
  if (!router.external_gateway_info) throw fieldProblem(field, 'vpn.router_without_gateway')
  return router
}

type Sides = Pick<Partial<ConnectionDraft>, 'local_ep_group' | 'peer_ep_group'>
interface NamedSides {
  local_ep_group_id?: string | undefined
  peer_ep_group_id?: string | undefined
}
type Endpoints = Pick<VpnEndpointGroup, 'endpoints'>

async function groupFor(
  engine: Engine,
  owner: Owner,
  side: 'local' | 'peer',
  draft: Sides['local_ep_group'] | Sides['peer_ep_group'],
  id: string | undefined,
): Promise<Endpoints> {
  if (draft) {
    await checkSubnets(engine, owner, draft, `${side}_ep_group.`)
    return draft
  }
  const field = `${sentAt}${side}_ep_group_id`
  const group = await namedPart(engine, endpointGroupReader, owner, id, field)
  if (side === 'local' && group.type !== 'subnet') throw fieldProblem(field, 'vpn.choose_subnet_group')
  if (side === 'peer' && group.type !== 'cidr') throw fieldProblem(field, 'vpn.choose_range_group')
  return group
}

/** Validates both sides of a new (`id` is null) or changed connection. Throws an error on an invalid field. */
export async function checkSides(
  engine: Engine,
  owner: Owner,
  { id, ike_version, router }: { id: string | null; ike_version: 'v1' | 'v2'; router: Router },
  drafts: Sides,
  named: NamedSides,
): Promise<void> {
  const groups = {
    local: await groupFor(engine, owner, 'local', drafts.local_ep_group, named.local_ep_group_id),
    remote: await groupFor(engine, owner, 'peer', drafts.peer_ep_group, named.peer_ep_group_id),
  }
  const others = await engine.records.transaction((tx) =>
    tx.find<IpsecSiteConnection>(connectionKind.name, { router_id: router.id }),
  )
  const around = { ike_version, router, others: others.filter((other) => other.id !== id) }
  const places = placesOf(drafts)
  const check = async (of: Router) =>
    rangesOf(groups, { ...around, router: of, connected: await connectedOf(engine, of) }, places)
  try {
    await check(router)
  } catch (error) {
    // the index may not contain a new interface of the router yet
    if (!(error instanceof Problem) || error.code !== 'validation') throw error
    await check(await engine.refresh(routerReader, router.id))
  }
}

/** Refuses features that the network service does not support. */
export function refuseForeign({ split_selector }: { split_selector?: boolean | undefined }): void {
  const code: ProblemCode = 'unsupported'
  if (split_selector) throw fieldProblem(`${sentAt}split_selector`, 'vpn.one_tunnel', {}, { code })
}

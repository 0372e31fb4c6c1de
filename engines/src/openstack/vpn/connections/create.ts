import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import {
  connectionKind,
  wholeDpd,
  type ConnectionDraft,
  type IpsecSiteConnection,
} from '@mainstay/contract/vpn/connections'
import type { ProjectScope } from '../../../ports/scope'
import { localAddressFor, sentAt } from '../../../vpn/sides'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import type { KindReader } from '../../kind-reader'
import { leftBehind, orElse } from '../../networking/refusals'
import { unlessGone } from '../../read-each'
import { endpointGroupReader } from '../endpoint-groups'
import { marked } from '../marks'
import { deleteOf, makeGroup, makePolicy } from '../parts'
import { ikePolicyReader, ipsecPolicyReader } from '../policies'
import { connectionRefusal, serviceRefusal } from '../refusals'
import { vpnServiceReader } from '../services'
import { make, rowsOf, type ListName } from '../wire'
import { checkSides, namedPart, refuseForeign, routerFor } from './around'
import { connectionReader } from './reader'

/** Parts created for a connection, in order of creation. */
type Made = [list: ListName, id: string][]

/** Creates a connection and its parts in separate calls. If the cloud rejects one of them, removes all. */
export async function createConnection(
  engine: Engine,
  scope: ProjectScope,
  draft: ConnectionDraft,
): Promise<IpsecSiteConnection> {
  const { ipsec_site_connection: said, vpnservice } = draft
  refuseForeign(said)
  const router = await routerFor(engine, scope, vpnservice.router_id)
  const ike =
    draft.ikepolicy ?? (await namedPart(engine, ikePolicyReader, scope, said.ikepolicy_id, `${sentAt}ikepolicy_id`))
  if (!draft.ipsecpolicy)
    await namedPart(engine, ipsecPolicyReader, scope, said.ipsecpolicy_id, `${sentAt}ipsecpolicy_id`)
  await checkSides(engine, scope, { id: null, ike_version: ike.ike_version, router }, draft, said)
  localAddressFor(router, said.peer_address)

  const cloud = await engine.as(scope)
  const meant: TrackedTask = {
    ...{ name: 'compute.ipsec_site_connection.create', until: 'settled', scope },
    subject: { kind: connectionKind.name, id: '', name: said.name },
  }
  const made: Made = []
  const id = await engine.command(
    meant,
    async (intent) => {
      try {
        return await makeAll({ engine, cloud, scope, draft, intent, made })
      } catch (error) {
        // if the outcome is unknown, the intent resolves it
        if (error instanceof Problem && error.status < 500)
          await takeBack(cloud, made).catch((cause: unknown) => {
            throw leftBehind(cause)
          })
        throw error
      }
    },
    (id) => [{ ...meant, subject: { ...meant.subject, id } }],
  )
  for (const [list, part] of made) await shown(engine, list, part)
  return engine.refresh(connectionReader, id)
}

/** Deletes the created parts in reverse order. */
export async function takeBack(cloud: ServiceClient, made: Readonly<Made>): Promise<void> {
  for (const [list, id] of made.toReversed()) await deleteOf(cloud, list, id)
}

interface Making {
  engine: Engine
  cloud: ServiceClient
  scope: ProjectScope
  draft: ConnectionDraft
  intent: string
  made: Made
}

async function makeAll({ engine, cloud, scope, draft, intent, made }: Making): Promise<string> {
  const said = draft.ipsec_site_connection
  const withMark = <Draft extends { description: string }>(part: Draft, place: string): Draft => ({
    ...part,
    description: marked(part.description, intent, `${place}description`),
  })
  const note = (list: ListName, id: string): string => {
    made.push([list, id])
    return id
  }
  // refuse a description that is too long before creating anything
  const connection = withMark({ description: said.description }, sentAt)
  const parts = {
    ike: draft.ikepolicy && withMark(draft.ikepolicy, 'ikepolicy.'),
    ipsec: draft.ipsecpolicy && withMark(draft.ipsecpolicy, 'ipsecpolicy.'),
    local: draft.local_ep_group && withMark(draft.local_ep_group, 'local_ep_group.'),
    peer: draft.peer_ep_group && withMark(draft.peer_ep_group, 'peer_ep_group.'),
  }
  const vpnservice_id = await serviceOf({ engine, cloud, scope, draft, intent, made })
  const ikepolicy_id = parts.ike
    ? note('ike', await makePolicy(cloud, 'ike', parts.ike, 'ikepolicy.'))
    : said.ikepolicy_id
  const ipsecpolicy_id = parts.ipsec
    ? note('ipsec', await makePolicy(cloud, 'ipsec', parts.ipsec, 'ipsecpolicy.'))
    : said.ipsecpolicy_id
  const local_ep_group_id = parts.local
    ? note('groups', await makeGroup(cloud, parts.local, 'local_ep_group.'))
    : said.local_ep_group_id
  const peer_ep_group_id = parts.peer
    ? note('groups', await makeGroup(cloud, parts.peer, 'peer_ep_group.'))
    : said.peer_ep_group_id
  const { name, peer_address, psk, initiator } = said
  const body = {
    ...{ name, ...connection, peer_address, psk, initiator, dpd: wholeDpd(said.dpd) },
    ...{ peer_id: said.peer_id ?? peer_address, local_id: said.local_id ?? '' },
    ...{ vpnservice_id, ikepolicy_id, ipsecpolicy_id, local_ep_group_id, peer_ep_group_id },
  }
  return orElse(make(cloud, 'connections', body), (problem) => {
    throw connectionRefusal(problem)
  })
}

/**
 * Returns the ID of the router's service, creating the service if there is none. A router must have only one service,
 * because agents use only the last one; the lock prevents two from being created.
 */
const serviceOf = ({ engine, cloud, draft, intent, made }: Making): Promise<string> =>
  engine.records.transaction(async (tx) => {
    const { router_id } = draft.vpnservice
    await tx.exclusive(`vpn service of ${router_id}`)
    const there = await rowsOf(cloud, 'services', { router_id })
    const legacy = there.find(({ subnet_id }) => subnet_id)
    if (legacy)
      throw fieldProblem('vpnservice.router_id', 'vpn.service_of_one_subnet', { name: legacy.name || legacy.id })
    const [found] = there
    if (found) return found.id
    const body = { router_id, description: marked('', intent, 'vpnservice.router_id') }
    const id = await orElse(make(cloud, 'services', body), (problem) => {
      throw serviceRefusal(problem)
    })
    made.push(['services', id])
    return id
  })

const readers = {
  services: vpnServiceReader,
  ike: ikePolicyReader,
  ipsec: ipsecPolicyReader,
  groups: endpointGroupReader,
  connections: connectionReader,
} as const

export const shown = (engine: Engine, list: ListName, id: string): Promise<unknown> =>
  unlessGone(engine.refresh(readers[list] as KindReader<{ id: string }>, id))

import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { Problem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import { isMarked, markedBy } from '../marks'
import { deleteOf } from '../parts'
import { stuckConnectionReason } from '../status'
import { rowsOf, type ListName } from '../wire'
import { shown, takeBack } from './create'

/* Additional steps for tasks that track connections. */

/** Policies, groups and service of a connection, by list. */
export type PartsOfConnection = [list: Exclude<ListName, 'connections'>, id: string][]

export const partsOf = (row: IpsecSiteConnection): PartsOfConnection => [
  ['ike', row.ikepolicy_id],
  ['ipsec', row.ipsecpolicy_id],
  ['groups', row.local_ep_group_id],
  ['groups', row.peer_ep_group_id],
  ['services', row.vpnservice_id],
]

/** Deletes the parts that were created with a connection and are no longer used. */
export async function dropUnused(engine: Engine, cloud: ServiceClient, parts: PartsOfConnection): Promise<void> {
  for (const [list, id] of parts) {
    if (id === '') continue
    const [row] = await rowsOf(cloud, list, { id })
    if (!row || !isMarked(row.description)) continue
    try {
      await deleteOf(cloud, list, id)
    } catch (error) {
      // another connection still uses the part
      if (!(error instanceof Problem) || error.status >= 500) throw error
    }
    await shown(engine, list, id)
  }
}

export function registerConnectionSteps(engine: Engine): void {
  const { caller } = engine.reading
  const followed = (row: unknown) => row as IpsecSiteConnection

  engine.registerTaskSteps('compute.ipsec_site_connection.create', {
    async find({ subject, task_id, scope }) {
      const [id] = await markedBy(caller, 'connections', task_id)
      if (id === undefined) return false
      for (const [list, part] of await partsMade(task_id)) await shown(engine, list, part)
      const name = 'compute.ipsec_site_connection.create' as const
      return [{ name, subject: { ...subject, id }, until: 'settled', scope }]
    },
    undo: async ({ task_id }) => takeBack(caller, await partsMade(task_id)),
    async whilePending(_, row) {
      const words = stuckConnectionReason(followed(row), Date.now())
      if (words !== null) throw new Error(words)
    },
  } satisfies TaskSteps)

  engine.registerTaskSteps('compute.ipsec_site_connection.delete', {
    onSettled: async ({ args }) => dropUnused(engine, caller, args['parts'] as PartsOfConnection),
  })

  async function partsMade(intent: string): Promise<PartsOfConnection> {
    const made: PartsOfConnection = []
    for (const list of ['services', 'ike', 'ipsec', 'groups'] as const)
      for (const id of await markedBy(caller, list, intent)) made.push([list, id])
    return made
  }
}

import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import * as z from 'zod'
import type { ServerGroupsPort } from '../../../ports/compute'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { groupVersion, serverGroupReader, WireGroup } from './shape'

export const serverGroupCommands = (engine: Engine): ServerGroupsPort => ({
  async create(scope, draft) {
    const cloud = await engine.as(scope)
    const shape = z.object({ server_group: WireGroup })
    const options = { version: groupVersion, body: { server_group: draft } }
    const { server_group } = await cloud.send('POST', 'compute', '/os-server-groups', shape, options)
    return engine.refresh(serverGroupReader, server_group.id)
  },

  async delete(scope, id) {
    await engine.known<ServerGroup>('server_group', scope, id)
    const cloud = await engine.as(scope)
    await cloud.send('DELETE', 'compute', `/os-server-groups/${encodeURIComponent(id)}`, z.void())
    await unlessGone(engine.refresh(serverGroupReader, id))
  },
})

export const serverGroupIsThere = async (cloud: ServiceClient, id: string): Promise<boolean> =>
  (await unlessGone(serverGroupReader.one(cloud, id))) !== null

/** Refreshes the indexed server groups that a deleted instance was a member of. */
export async function refreshGroupsOf(engine: Engine, projectId: string, serverId: string): Promise<void> {
  const groups = await engine.records.transaction((tx) =>
    tx.find<ServerGroup>('server_group', { project_id: projectId }),
  )
  for (const { id, members } of groups) {
    if (members.includes(serverId)) await unlessGone(engine.refresh(serverGroupReader, id))
  }
}

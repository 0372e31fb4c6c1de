import { serverGroupPolicies, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import * as z from 'zod'
import type { Caller } from '../client/caller'
import { listOf, type TellUnreadable } from '../client/rows'
import { unreadableIn, type KindReader, type Reading } from '../kind-reader'
import { readEach, rowOfEach } from '../read-each'

/** From here on a group has one policy, and not a list of them. */
export const groupVersion = '2.64'

export const WireGroup = z.object({
  id: z.string(),
  name: z.string(),
  policy: z.enum(serverGroupPolicies),
  members: z.array(z.string()),
  project_id: z.string(),
  user_id: z.string(),
})
type WireGroup = z.output<typeof WireGroup>

export async function readGroup(caller: Caller, id: string, signal?: AbortSignal): Promise<WireGroup> {
  const path = `/os-server-groups/${encodeURIComponent(id)}`
  const shape = z.object({ server_group: WireGroup })
  return (await caller.get('compute', path, shape, { version: groupVersion, ...(signal && { signal }) })).server_group
}

const rowOf = async ({ domainOf }: Reading, group: WireGroup): Promise<ServerGroup> => ({
  ...group,
  domain_id: await domainOf(group.project_id),
})

const perPage = 500

/** Server groups of every project. Their list has no links to its next page; it is asked for by where it begins. */
export const serverGroupReader: KindReader<ServerGroup> = {
  kind: 'server_group',
  list: 'server_groups',

  async *all(reading, signal) {
    let left = 0
    const tell = unreadableIn(reading, 'server_groups')
    const leaveOut: TellUnreadable | undefined = tell && ((row) => (left++, tell(row)))
    const shape = z.object({ server_groups: listOf(WireGroup, leaveOut) })
    for (let offset = 0; ; offset += perPage) {
      left = 0
      const { server_groups } = await reading.caller.get('compute', '/os-server-groups', shape, {
        version: groupVersion,
        query: { all_projects: 'True', limit: perPage, offset },
        ...(signal && { signal }),
      })
      yield await rowOfEach(reading, 'server_groups', server_groups, (group) => rowOf(reading, group))
      if (server_groups.length + left < perPage) return
    }
  },

  some: (reading, ids, signal) =>
    readEach(
      ids,
      async (id) => rowOf(reading, await readGroup(reading.caller, id, signal)),
      unreadableIn(reading, 'server_groups'),
    ),

  isBusy: () => false,
}

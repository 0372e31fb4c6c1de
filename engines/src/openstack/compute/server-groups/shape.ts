import { serverGroupPolicies, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import * as z from 'zod'
import { restReader } from '../../rest-reader'

/** Since 2.64, a group has a single policy instead of a list of policies. */
export const groupVersion = '2.64'

export const WireGroup = z.object({
  id: z.string(),
  name: z.string(),
  policy: z.enum(serverGroupPolicies),
  members: z.array(z.string()),
  project_id: z.string(),
  user_id: z.string(),
})

/** Server groups in all projects. */
export const serverGroupReader = restReader({
  kind: 'server_group',
  service: 'compute',
  path: '/os-server-groups',
  key: ['server_groups', 'server_group'],
  item: WireGroup,
  version: groupVersion,
  query: { all_projects: 'True' },
  rowsAtOffset: 500,
  row: async (group, { domainOf }): Promise<ServerGroup> => ({ ...group, domain_id: await domainOf(group.project_id) }),
})

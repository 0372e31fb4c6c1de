import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../../api/use-list'
import { Link } from '../../../../nav/Link'
import { serverGroupResource } from '../../server-groups/resource'

/** The server group of an instance. Looked up by member, since instances do not refer to their group. */
export function InstanceServerGroup({ id }: { id: string }) {
  const { rows } = useList(serverGroups.list, serverGroupKind, {
    stateIn: 'memory',
    only: { members: `any:${id}` },
    limit: 1,
  })
  const [group] = rows
  return group ? <Link to={serverGroupResource.paths.view(group.id)}>{group.name}</Link> : '–'
}

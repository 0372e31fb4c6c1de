import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../../api/use-list'
import { Link } from '../../../../nav/Link'
import { serverGroupResource } from '../../server-groups/resource'

/** An instance's server group. Found by searching for the member, since an instance does not refer to its group. */
export function InstanceServerGroup({ id }: { id: string }) {
  const { rows } = useList(serverGroups.list, serverGroupKind, {
    stateIn: 'memory',
    only: { members: `any:${id}` },
    limit: 1,
  })
  const [group] = rows
  return group ? <Link to={serverGroupResource.paths.view(group.id)}>{group.name}</Link> : '–'
}

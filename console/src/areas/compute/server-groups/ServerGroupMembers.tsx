import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useList } from '../../../api/use-list'
import { Link } from '../../../nav/Link'
import { InstanceStatus } from '../instances/InstanceStatus'
import { instanceResource } from '../instances/resource'
import css from './ServerGroupMembers.module.css'

/** The instances of a group, with what they do now. */
export function ServerGroupMembers({ ids }: { ids: readonly string[] }) {
  const { rows } = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    only: { id: `in:${ids.join(',')}` },
    limit: ids.length,
  })
  return (
    <ul className={css.members}>
      {rows.map((instance) => (
        <li key={instance.id}>
          <Link to={instanceResource.paths.view(instance.id)}>{instance.name}</Link>
          <InstanceStatus instance={instance} />
        </li>
      ))}
    </ul>
  )
}

import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { instanceResource } from '../instances/resource'
import css from './placements.module.css'

const mostShown = 10

/** The first instances with a placement, and the number of remaining ones. */
export function PlacedInstances({ id }: { id: string }) {
  const t = useT('compute')
  const {
    rows,
    total = 0,
    isLoading,
  } = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    only: { traits: `any:${id}` },
    limit: mostShown,
  })
  // show the dash only once it is certain that there are none
  if (rows.length === 0) return isLoading ? '\u00a0' : '–'
  return (
    <ul className={css.names}>
      {rows.slice(0, mostShown).map((instance) => (
        <li key={instance.id}>
          <Link to={instanceResource.paths.view(instance.id)}>{instance.name}</Link>
        </li>
      ))}
      {total > mostShown && <li>{t('placements.more', { count: total - mostShown })}</li>}
    </ul>
  )
}

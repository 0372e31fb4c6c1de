import { instances } from '@mainstay/contract/compute/instances'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import OwnerName from '../../../patterns/owners/OwnerName'
import { Panel } from './Panel'
import { instanceResource } from '../../compute/instances/resource'
import css from './overview.module.css'

const query = { status: 'ACTIVE', sort: 'cpu_usage:desc', limit: '5' }
const everyMs = 15_000

/** Virtual machines with the highest CPU usage. */
export function BusiestMachines() {
  const t = useT('monitoring')
  const { percent } = useFormat()
  const { data, isLoading } = useView(instances.list, {}, { query, everyMs })
  return (
    <Panel title={t('busiest')} isLoading={isLoading}>
      {data?.data.length === 0 && <p className={css.calm}>{t('busiest.none')}</p>}
      <ul className={css.lines}>
        {data?.data.map(({ id, name, project_id, statistics: { metrics } }) => (
          <li key={id}>
            <p>
              <Link to={instanceResource.paths.view(id)}>{name}</Link>{' '}
              <span>{metrics.cpu_usage === null ? '–' : percent(metrics.cpu_usage / 100, 0)}</span>
            </p>
            <p className={css.why}>
              <OwnerName of="project" id={project_id} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

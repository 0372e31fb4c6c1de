import { taskKind } from '@mainstay/contract/core/tasks'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useList } from '../../../../api/use-list'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useNow } from '../../../../lib/use-now'
import { viewPath } from '../../../../nav/known-pages'
import { Link } from '../../../../nav/Link'
import { useMay } from '../../../../session/may'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { Time } from '../../../../ui/values/Time'
import { instanceResource } from '../../../compute/instances/resource'
import css from '../nodes.module.css'

/** Shows the address, role, uptime and virtual machines of a node, below its name. */
export function NodeHead({ node }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  const now = useNow()
  const { ip_addrs, is_primary, is_assigned, is_in_ha, booted_at, is_online, maintenance } = node
  const roles = [
    is_primary && t('role.primary'),
    is_in_ha && t('role.ha'),
    t(is_assigned ? 'inCluster' : 'notInCluster'),
  ].filter((it) => it !== false)
  return (
    <dl className={css.head}>
      {ip_addrs[0] !== undefined && (
        <div>
          <dt>{t('address')}</dt>
          <dd>
            <CopyableCode>{ip_addrs[0]}</CopyableCode>
          </dd>
        </div>
      )}
      <div>
        <dt>{t('role')}</dt>
        <dd>{roles.join(' · ')}</dd>
      </div>
      {is_online && booted_at !== null && (
        <div>
          <dt>{t('up')}</dt>
          <dd title={format.exact(booted_at)}>{format.duration(Math.max(0, now - Date.parse(booted_at)))}</dd>
        </div>
      )}
      {maintenance && (
        <div>
          <dt>{t('maintenance.since')}</dt>
          <dd>
            <Time at={maintenance.since} show="both" />
          </dd>
        </div>
      )}
      <Machines host={node.host} />
      <RunningTasks ids={node.tasks} />
    </dl>
  )
}

/** Number of virtual machines on the node, linked to their list. */
function Machines({ host }: { host: string }) {
  const t = useT('nodes')
  const format = useFormat()
  const isReadable = useMay()(instances.list.needs)
  const { total } = useList(instances.list, instanceKind, {
    ...{ stateIn: 'memory', limit: 1, only: { host }, isEnabled: isReadable },
  })
  if (!isReadable) return null
  return (
    <div>
      <dt>{t('machines')}</dt>
      <dd>
        <Link to={instanceResource.paths.list()} search={{ host }}>
          {total === undefined ? t('showMachines') : t('machinesCount', { count: total, shown: format.number(total) })}
        </Link>
      </dd>
    </div>
  )
}

/** Links to the running tasks of the node. */
function RunningTasks({ ids }: { ids: readonly string[] }) {
  const t = useT('nodes')
  if (ids.length === 0) return null
  return (
    <div>
      <dt>{t('runningTasks', { count: ids.length })}</dt>
      {ids.map((id) => {
        const to = viewPath(taskKind.name, id)
        return <dd key={id}>{to === undefined ? id : <Link to={to}>{t('events.show')}</Link>}</dd>
      })}
    </div>
  )
}

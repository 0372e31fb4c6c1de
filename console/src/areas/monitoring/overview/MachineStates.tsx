import { instanceStatuses, type InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { classes } from '../../../lib/classes'
import { BadIcon, BusyIcon, OkIcon, StoppedIcon, SuspendedIcon, type Icon } from '../../../ui/icons'
import type { Key } from '../../../i18n/catalogues'
import { instanceResource } from '../../compute/instances/resource'
import css from './overview.module.css'

interface Group {
  id: 'active' | 'busy' | 'stopped' | 'suspended' | 'error'
  text: Key<'monitoring'>
  icon: Icon
  statuses: readonly InstanceStatus[]
}

const named: readonly Group[] = [
  { id: 'active', text: 'machines.active', icon: OkIcon, statuses: ['ACTIVE', 'RESCUE'] },
  { id: 'stopped', text: 'machines.stopped', icon: StoppedIcon, statuses: ['SHUTOFF', 'SHELVED', 'SHELVED_OFFLOADED'] },
  { id: 'suspended', text: 'machines.suspended', icon: SuspendedIcon, statuses: ['SUSPENDED', 'PAUSED'] },
  { id: 'error', text: 'machines.error', icon: BadIcon, statuses: ['ERROR', 'UNKNOWN'] },
]
const [active, ...others] = named
/** Virtual machines in any transitional status. */
const busy: Group = {
  id: 'busy',
  text: 'machines.busy',
  icon: BusyIcon,
  statuses: instanceStatuses.filter((status) => !named.some(({ statuses }) => statuses.includes(status))),
}
const groups: readonly Group[] = [active!, busy, ...others]

interface MachineStatesProps {
  /** Number of virtual machines per status; undefined while loading. The links are rendered in any case. */
  counts: { by_status: Readonly<Record<string, number>>; total: number } | undefined
}

/** The number of virtual machines per state, each linked to the filtered list. */
export function MachineStates({ counts }: MachineStatesProps) {
  const t = useT('monitoring')
  const { number } = useFormat()
  const shown = (count: number | undefined) => (count === undefined ? '–' : number(count))
  const counted = groups.map(({ statuses, ...group }) => ({
    ...group,
    count: counts && statuses.reduce((sum, status) => sum + (counts.by_status[status] ?? 0), 0),
    search: { status: `in:${statuses.join(',')}` },
  }))
  return (
    <ul className={css.strip} aria-label={t('machines')}>
      <li>
        <Link to={instanceResource.paths.list()} className={css.figure}>
          <strong>{shown(counts?.total)}</strong>
          <span>{t('machines.all')}</span>
        </Link>
      </li>
      {counted.map(({ id, text, icon: StateIcon, count, search }) => (
        <li key={id}>
          <Link
            to={instanceResource.paths.list()}
            search={search}
            className={classes(css.figure, count !== undefined && count > 0 && css[id])}
          >
            <strong>{shown(count)}</strong>
            <span>
              <StateIcon />
              {t(text)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

import { useState } from 'react'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useFormat } from '../../../../../i18n/use-format'
import { useT } from '../../../../../i18n/use-t'
import { Link } from '../../../../../nav/Link'
import { ActionMenu } from '../../../../../patterns/ActionMenu'
import { CellNote, SmallTable, type SmallColumn } from '../../../../../patterns/table/SmallTable'
import { Button } from '../../../../../ui/Button'
import { StatusBadge } from '../../../../../ui/values/StatusBadge'
import { Time } from '../../../../../ui/values/Time'
import { backupPlanResource } from '../../../../protection/resource'
import { volumeBackupResource } from '../../../../storage/backups/resource'
import { instantStatus } from './instant-words'
import type { Instant } from './instants'
import css from './InstanceProtection.module.css'
import { useInstantActions } from './use-instant-actions'

/** Number of rows shown initially. */
const FIRST = 14

interface InstantTableProps {
  instance: Instance
  instants: readonly Instant[]
  /** Backup plans, used to name the plan that created a recovery point; undefined if unknown. */
  plans: readonly BackupPlan[] | undefined
  /** Path of the protection tab. */
  tab: string
}

/** Recovery points of an instance. Each row represents the recovery points that were created together. */
export function InstantTable({ instance, instants, plans, tab }: InstantTableProps) {
  const t = useT('instance')
  const storage = useT('storage')
  const patterns = useT('patterns')
  const format = useFormat()
  const [isWhole, setWhole] = useState(false)
  const actions = useInstantActions(instance, tab)
  const total = instance.volumes.length
  const shown = isWhole ? instants : instants.slice(0, FIRST)
  const columns: readonly SmallColumn<Instant>[] = [
    {
      id: 'taken',
      label: storage('backups.taken'),
      render: ({ takenAt, points: [first] }) => (
        <Link to={volumeBackupResource.paths.view(first!.id)}>
          <Time at={takenAt} show="both" />
        </Link>
      ),
    },
    {
      id: 'volumes',
      label: t('instances.tab.volumes'),
      render: ({ covered, points }) => (
        <>
          {t('instances.protection.covered', { covered, total })}
          {points.length > covered && (
            <CellNote>{t('instances.protection.detached', { count: points.length - covered })}</CellNote>
          )}
        </>
      ),
    },
    {
      id: 'plan',
      label: storage('backups.plan'),
      isWide: true,
      render: (instant) => <PlanOf instant={instant} plans={plans} />,
    },
    {
      id: 'status',
      label: storage('volumes.status'),
      render: ({ state }) => {
        const { tone, text } = instantStatus(state, t, storage)
        return <StatusBadge tone={tone}>{text}</StatusBadge>
      },
    },
    {
      id: 'actions',
      isAtEnd: true,
      render: (instant) => (
        <ActionMenu
          label={patterns('table.actionsOf', { name: format.dateTime(instant.takenAt) })}
          items={actions(instant)}
        />
      ),
    },
  ]
  return (
    <div className={css.table}>
      <SmallTable label={storage('backups.title')} rows={shown} keyOf={({ id }) => id} columns={columns} />
      {shown.length < instants.length && (
        <div className={css.more}>
          <Button variant="plain" size="small" onPress={() => setWhole(true)}>
            {t('instances.protection.more', { count: instants.length - shown.length })}
          </Button>
        </div>
      )}
    </div>
  )
}

/** The plan that created the recovery points, linked if it still contains volumes of the instance; or "Manual". */
function PlanOf({ instant, plans = [] }: { instant: Instant; plans: readonly BackupPlan[] | undefined }) {
  const storage = useT('storage')
  const { backup_plan_id: id, backup_plan_name: name } = instant.points[0]!
  if (id === null) return <>{storage('backups.manual')}</>
  const plan = plans.find((one) => one.id === id)
  if (!plan) return <bdi>{name ?? id}</bdi>
  return (
    <Link to={backupPlanResource.paths.view(id)} dir="auto">
      {plan.name}
    </Link>
  )
}

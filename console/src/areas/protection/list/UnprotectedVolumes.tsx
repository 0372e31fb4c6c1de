import { lazy, Suspense, useState } from 'react'
import { read } from '@mainstay/contract/core/endpoint'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { backupPlanKind, backupPlans, type BackupCoverage } from '@mainstay/contract/protection/backup-plans'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { AddIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import { Time } from '../../../ui/values/Time'
import { volumeResource } from '../../storage/volumes/resource'
import { ServerName } from '../ServerName'
import css from './UnprotectedVolumes.module.css'

const AddToPlanForm = lazy(() => import('./AddToPlanForm'))

type Volume = BackupCoverage['unprotected'][number]

/** Rows that are shown. */
const MOST = 10

/** The newest volumes without a backup plan, which can be added to one. */
export function UnprotectedVolumes({ coverage: { volumes, unprotected } }: { coverage: BackupCoverage }) {
  const t = useT('protection')
  const patterns = useT('patterns')
  const may = useMay()
  const [selected, select] = useState<readonly string[]>([])
  const [isAdding, setAdding] = useState(false)
  const mayAdd = may(backupPlans.addVolumes.needs)
  const plans = useList(backupPlans.list, backupPlanKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    isEnabled: mayAdd,
  })
  const shown = unprotected.slice(0, MOST)
  // volumes that have a plan by now are no longer in the list
  const chosen = shown.filter(({ id }) => selected.includes(id))
  const maySeeVolumes = may(read('compute_volume'))
  const missing = volumes.total - volumes.protected

  const columns: SmallColumn<Volume>[] = [
    ...(mayAdd
      ? [
          {
            id: 'select',
            label: t('unprotected.select'),
            render: ({ id, name }: Volume) => (
              <Checkbox
                aria-label={patterns('table.select', { name })}
                isSelected={selected.includes(id)}
                onChange={(isSelected) =>
                  select(isSelected ? [...selected, id] : selected.filter((other) => other !== id))
                }
              />
            ),
          },
        ]
      : []),
    {
      id: 'name',
      label: t('volumes.one'),
      render: ({ id, name }) =>
        maySeeVolumes ? (
          <Link to={volumeResource.paths.view(id)} dir="auto">
            {name}
          </Link>
        ) : (
          <bdi>{name}</bdi>
        ),
    },
    {
      id: 'server',
      label: t('volumes.server'),
      render: ({ server_id: id, server_name: name }) => <ServerName id={id} name={name} />,
    },
    { id: 'created', label: patterns('table.created'), isWide: true, render: ({ created_at: at }) => <Time at={at} /> },
    { id: 'size', label: t('volumes.size'), isAtEnd: true, render: ({ size }) => <Bytes of={size} /> },
  ]
  return (
    <Panel
      title={t('unprotected.title')}
      count={t('unprotected.count', { count: missing })}
      isFlush
      action={
        mayAdd && (
          <Button
            size="small"
            icon={AddIcon}
            disabledBecause={
              plans.rows.length === 0
                ? t('unprotected.noPlans')
                : chosen.length === 0
                  ? t('unprotected.selectFirst')
                  : undefined
            }
            onPress={() => setAdding(true)}
          >
            {t('unprotected.add')}
          </Button>
        )
      }
    >
      <SmallTable
        label={t('unprotected.title')}
        rows={shown}
        keyOf={({ id }) => id}
        columns={columns}
        isMarked={({ id }) => selected.includes(id)}
      />
      {missing > shown.length && (
        <p className={css.more}>{t('unprotected.shown', { shown: shown.length, count: missing })}</p>
      )}
      <Suspense fallback={null}>
        {isAdding && (
          <AddToPlanForm
            volumeIds={chosen.map(({ id }) => id)}
            plans={plans.rows}
            onClose={(isDone) => {
              setAdding(false)
              if (isDone) select([])
            }}
          />
        )}
      </Suspense>
    </Panel>
  )
}

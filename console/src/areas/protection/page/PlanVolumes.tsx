import { lazy, Suspense, useState } from 'react'
import { backupPlans, MAX_PLAN_VOLUMES, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { AddIcon, DetachIcon, VolumeIcon } from '../../../ui/icons'
import css from './PlanVolumes.module.css'
import { useRemoveVolumes } from './use-remove-volumes'
import { useVolumeColumns } from './use-volume-columns'

const AddVolumesForm = lazy(() => import('./AddVolumesForm'))

/** The volumes of a plan. They can be added and removed. */
export function PlanVolumes({ plan }: { plan: BackupPlan }) {
  const t = useT('protection')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const may = useMay()
  const [selected, select] = useState<readonly string[]>([])
  const [isAdding, setAdding] = useState(false)
  const list = useList(volumes.list, volumeKind, {
    stateIn: 'memory',
    limit: MAX_PLAN_VOLUMES,
    // a change of the plan changes the list
    only: { id: plan.volume_ids.length > 0 ? `in:${plan.volume_ids.join(',')}` : plan.id },
  })
  const remove = useRemoveVolumes(plan)
  const mayAdd = may(backupPlans.addVolumes.needs)
  const mayRemove = may(backupPlans.removeVolumes.needs)
  const chosen = list.rows.filter(({ id }) => selected.includes(id))
  const askRemove = (some: readonly Volume[]) => void remove(some).then((isDone) => isDone && select([]))
  const columns = useVolumeColumns(plan, {
    selected,
    onSelect: select,
    onRemove: (volume) => askRemove([volume]),
    isChangeable: mayRemove,
  })
  const add = mayAdd && (
    <Button
      icon={AddIcon}
      disabledBecause={
        plan.volumes_count >= MAX_PLAN_VOLUMES ? t('unprotected.noRoom', { most: MAX_PLAN_VOLUMES }) : undefined
      }
      onPress={() => setAdding(true)}
    >
      {t('plans.addVolumes')}
    </Button>
  )
  return (
    <div className={css.volumes}>
      {list.problem ? (
        <ErrorPanel
          title={patterns('table.loadFailed')}
          why={problemText(list.problem, shell)}
          id={list.problem.requestId}
          onRetry={list.reload}
        />
      ) : list.isLoading ? (
        <SkeletonRows rows={4} columns={4} />
      ) : list.rows.length === 0 ? (
        <EmptyState icon={VolumeIcon} action={add}>
          {t('volumes.empty')}
        </EmptyState>
      ) : (
        <>
          <div className={css.bar}>
            {add}
            {mayRemove && chosen.length > 0 && (
              <Button icon={DetachIcon} onPress={() => askRemove(chosen)}>
                {t('volumes.removeCount', { count: chosen.length })}
              </Button>
            )}
            <span className={css.count}>{t('volumes.room', { count: list.rows.length, most: MAX_PLAN_VOLUMES })}</span>
          </div>
          <div className={css.table}>
            <SmallTable
              label={t('plans.volumes')}
              rows={list.rows}
              keyOf={({ id }) => id}
              columns={columns}
              isMarked={({ id }) => selected.includes(id)}
            />
          </div>
        </>
      )}
      <Suspense fallback={null}>{isAdding && <AddVolumesForm plan={plan} onClose={() => setAdding(false)} />}</Suspense>
    </div>
  )
}

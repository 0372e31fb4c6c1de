import { backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { toast } from '../../notices/notices'
import { notifyError } from '../../notices/notify-error'
import { useDeleteActions, type Removal } from '../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../patterns/table/row-action'
import { useMay } from '../../session/may'
import { EditIcon, PowerIcon, StartIcon } from '../../ui/icons'
import { backupPlanResource } from './resource'

interface PlanActions {
  /** Starts a run. Undefined without the permission. */
  runNow: (plan: BackupPlan) => RowAction | undefined
  /** Edit, disable or enable, and delete. */
  others: (plan: BackupPlan) => RowAction[]
  bulk: Removal<BackupPlan>['bulk']
}

const views = [backupPlans.list, backupPlans.view]

/** Actions for a backup plan, in the list and in its details. */
export function usePlanActions({ deleted }: { deleted?: () => void } = {}): PlanActions {
  const t = useT('protection')
  const go = useAppNavigate()
  const may = useMay()
  const run = useCall(backupPlans.run, { refresh: [...views, backupPlans.runs] })
  const update = useCall(backupPlans.update, { refresh: views })
  const removal = useDeleteActions(backupPlanResource, {
    note: t('plans.deleteNote'),
    refresh: [backupPlans.coverage, volumes.list],
    deleted,
  })

  const start = ({ id, name }: BackupPlan) =>
    void run.run({ params: { id } }).then(
      () => toast(t('plans.started', { name })),
      (thrown: unknown) => notifyError(thrown, t('plans.runFailed', { name })),
    )
  const setDisabled = ({ id, name }: BackupPlan, disabled: boolean) =>
    void update.run({ params: { id }, body: { disabled } }).then(
      () => toast(t(disabled ? 'plans.disabled' : 'plans.enabledNow', { name })),
      (thrown: unknown) => notifyError(thrown, t('plans.updateFailed', { name })),
    )

  return {
    runNow: (plan) =>
      may(backupPlans.run.needs)
        ? {
            label: t('plans.run'),
            icon: StartIcon,
            group: 'power',
            isLikely: true,
            disabledBecause:
              plan.status === 'Running'
                ? t('plans.isRunning')
                : plan.volumes_count === 0
                  ? t('plans.withoutVolumes')
                  : undefined,
            run: () => start(plan),
          }
        : undefined,
    others: (plan) => [
      ...(may(backupPlans.update.needs)
        ? [
            { label: t('plans.change'), icon: EditIcon, run: () => go(backupPlanResource.paths.edit(plan.id)) },
            {
              label: t(plan.disabled ? 'plans.enable' : 'plans.disable'),
              icon: PowerIcon,
              run: () => setDisabled(plan, !plan.disabled),
            },
          ]
        : []),
      ...removal.action(plan),
    ],
    bulk: removal.bulk,
  }
}

import { useMemo } from 'react'
import { backupPlans, MAX_PLAN_VOLUMES, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumes } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Select } from '../../../patterns/form/form-fields'
import { withFields } from '../../../patterns/form/with-fields'

interface AddToPlanFormProps {
  volumeIds: readonly string[]
  plans: readonly BackupPlan[]
  onClose: (isDone: boolean) => void
}

/** Adds volumes to a plan that the user chooses. */
export default function AddToPlanForm({ volumeIds, plans, onClose }: AddToPlanFormProps) {
  const t = useT('protection')
  const count = volumeIds.length
  const hasRoom = (plan: BackupPlan) => plan.volumes_count + count <= MAX_PLAN_VOLUMES
  const add = useCall(backupPlans.addVolumes, {
    refresh: [backupPlans.list, backupPlans.view, backupPlans.coverage, volumes.list],
    done: ({ name }) => toast(t('volumes.added', { name, count })),
  })
  const schema = useMemo(
    () =>
      z.object({ plan: z.string().nullable() }).superRefine(({ plan }, context) => {
        if (plan === null) context.addIssue({ code: 'custom', path: ['plan'], message: t('unprotected.choose') })
      }),
    [t],
  )
  return (
    <FormDialog
      title={t('unprotected.addTitle', { count })}
      verb={t('plans.addVolumes')}
      place="middle"
      size="small"
      schema={schema}
      start={{ plan: plans.find(hasRoom)?.id ?? null }}
      send={({ plan }) =>
        add
          .run({ params: { id: plan ?? '' }, body: { ids: [...volumeIds] } })
          .catch(withFields((path) => (path.startsWith('ids') ? 'plan' : path)))
      }
      onClose={onClose}
    >
      <Select
        name="plan"
        label={t('plans.one')}
        placeholder={t('unprotected.choose')}
        items={plans.map((plan) => ({
          id: plan.id,
          label: plan.name,
          end: t('unprotected.volumesOf', { count: plan.volumes_count }),
          ...(!hasRoom(plan) && { disabledBecause: t('unprotected.noRoom', { most: MAX_PLAN_VOLUMES }) }),
        }))}
      />
    </FormDialog>
  )
}

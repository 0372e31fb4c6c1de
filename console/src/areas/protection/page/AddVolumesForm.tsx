import { useMemo } from 'react'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { says } from '@mainstay/contract/core/said'
import {
  backupPlanKind,
  backupPlans,
  MAX_PLAN_VOLUMES,
  type BackupPlan,
} from '@mainstay/contract/protection/backup-plans'
import { volumes } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { withFields } from '../../../patterns/form/with-fields'
import { VolumeChoice } from './VolumeChoice'

interface AddVolumesFormProps {
  plan: BackupPlan
  onClose: () => void
}

/** Adds volumes to a plan, and moves them from other plans. */
export default function AddVolumesForm({ plan, onClose }: AddVolumesFormProps) {
  const t = useT('protection')
  const { id, name } = plan
  const room = MAX_PLAN_VOLUMES - plan.volumes_count
  const plans = useList(backupPlans.list, backupPlanKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { project_id: plan.project_id },
  }).rows
  const planOf = useMemo(
    () => new Map(plans.flatMap((one) => one.volume_ids.map((volume) => [volume, one] as const))),
    [plans],
  )
  const schema = useMemo(
    () =>
      z.object({
        ids: z
          .array(z.string())
          .min(1, says('protection.name_volumes'))
          .max(room, says('protection.too_many_volumes', { most: MAX_PLAN_VOLUMES })),
      }),
    [room],
  )
  const add = useCall(backupPlans.addVolumes, {
    refresh: [backupPlans.list, backupPlans.view, backupPlans.coverage, volumes.list],
  })
  async function send({ ids }: { ids: string[] }) {
    const move = ids.some((volume) => planOf.has(volume))
    await add.run({ params: { id }, body: { ids, move } }).catch(withFields((path) => path.split('.')[0] ?? path))
    toast(t('volumes.added', { name, count: ids.length }))
  }
  return (
    <FormDialog
      title={t('volumes.addTitle', { name })}
      verb={t('plans.addVolumes')}
      size="large"
      schema={schema}
      start={{ ids: [] }}
      send={send}
      onClose={onClose}
    >
      <VolumeChoice plan={plan} planOf={planOf} />
    </FormDialog>
  )
}

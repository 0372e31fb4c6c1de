import { backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'

/** Removes volumes from a plan after confirmation. Resolves to true if they were removed. */
export function useRemoveVolumes({ id, name }: BackupPlan): (some: readonly Volume[]) => Promise<boolean> {
  const t = useT('protection')
  const remove = useCall(backupPlans.removeVolumes, {
    refresh: [backupPlans.list, backupPlans.view, backupPlans.coverage, volumes.list],
  })
  return async (some) => {
    const count = some.length
    const [first] = some
    const isDone = await confirm({
      title:
        count === 1
          ? t('volumes.removeTitle', { volume: first?.name, name })
          : t('volumes.removeTitleMany', { count, name }),
      text: t('volumes.removeNote'),
      verb: t('volumes.removeCount', { count }),
      isDanger: true,
      run: (signal) => remove.run({ params: { id }, body: { ids: some.map((volume) => volume.id) } }, { signal }),
    })
    if (isDone) toast(t('volumes.removed', { name, count }))
    return isDone
  }
}

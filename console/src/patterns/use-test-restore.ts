import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useCall } from '../api/use-call'
import { useT } from '../i18n/use-t'
import type { RowAction } from './table/row-action'
import { useMay } from '../session/may'
import { StartIcon } from '../ui/icons'

/**
 * Returns the action that tests whether a virtual machine starts from a recovery point and the points created together
 * with it. Returns undefined without permission. `barred`: why it cannot be tested now.
 */
export function useTestRestore(): (
  point: Pick<VolumeBackup, 'id' | 'name'>,
  barred: string | undefined,
) => RowAction | undefined {
  const t = useT('storage')
  const may = useMay()
  const { run } = useCall(machineRestores.testRestore)

  async function begin({ id, name }: Pick<VolumeBackup, 'id' | 'name'>) {
    try {
      await run({ params: { id }, body: {} })
    } catch (thrown) {
      const { notifyError } = await import('../notices/notify-error')
      notifyError(thrown, t('backups.testFailed', { name }))
    }
  }

  return (point, barred) =>
    may(machineRestores.testRestore.needs)
      ? { label: t('backups.test'), icon: StartIcon, disabledBecause: barred, run: () => void begin(point) }
      : undefined
}

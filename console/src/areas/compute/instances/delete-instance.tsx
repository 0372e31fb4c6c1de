import type { Instance } from '@mainstay/contract/compute/instances'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import { RecycleChoice } from '../../../patterns/recycle-bin/RecycleChoice'
import { tellRecycled } from '../../../patterns/recycle-bin/tell-recycled'
import { InstanceDeletion } from './InstanceDeletion'
import type { InstanceDeletionChoice } from './use-instance-calls'

/**
 * Asks for confirmation before deleting an instance: shows how long it can be restored, and what is deleted or kept.
 * Volumes with `delete_on_termination` are preselected (I4). `days` is 0 if the instance is deleted permanently.
 */
export async function confirmDeleteInstance(
  instance: Pick<Instance, 'id' | 'name' | 'volumes'>,
  days: number,
  run: (choice: InstanceDeletionChoice, signal: AbortSignal) => Promise<Pick<Instance, 'task_state'>>,
) {
  await Promise.all([loadTexts('instance'), loadTexts('locks'), loadTexts('recycleBin')])
  const t = textsNow('instances')
  const { name, volumes } = instance
  let chosen = volumes.filter((volume) => volume.delete_on_termination).map(({ id }) => id)
  let isPermanent = days === 0
  let isRecycled = false
  const partsOf = (isFinal: boolean) => (
    <InstanceDeletion
      instance={instance}
      chosen={chosen}
      isPermanent={isFinal}
      onChange={(ids) => {
        chosen = [...ids]
      }}
    />
  )
  const isDone = await confirmDelete({
    title: t('instances.deleteOne', { name }),
    verb: t('instances.deleteOneVerb'),
    text:
      days === 0 ? (
        partsOf(true)
      ) : (
        <RecycleChoice
          days={days}
          onChange={(on) => {
            isPermanent = on
          }}
        >
          {partsOf}
        </RecycleChoice>
      ),
    run: async (signal) => {
      const { task_state } = await run({ volumes: chosen, isPermanent }, signal)
      // an instance that failed to build bypasses the recycle bin
      isRecycled = task_state === 'soft-deleting'
    },
  })
  if (isDone && isRecycled) tellRecycled(instance, days)
  return isDone
}

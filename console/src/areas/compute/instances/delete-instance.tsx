import type { Instance } from '@mainstay/contract/compute/instances'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { confirmDelete } from '../../../patterns/confirm-delete'
import { InstanceDeletion } from './InstanceDeletion'

/**
 * Asks before an instance is deleted: what goes with it and what stays, with its volumes to tick. Those that go with it by
 * their own flag are ticked at first (I4).
 */
export async function askDeleteInstance(
  instance: Pick<Instance, 'id' | 'name' | 'volumes'>,
  run: (deletedVolumes: readonly string[], signal: AbortSignal) => Promise<unknown>,
) {
  await Promise.all([loadTexts('instance'), loadTexts('locks')])
  const t = textsNow('instances')
  const { name, volumes } = instance
  let chosen = volumes.filter((volume) => volume.delete_on_termination).map(({ id }) => id)
  return confirmDelete({
    what: t('instances.noun'),
    name,
    text: (
      <InstanceDeletion
        instance={instance}
        chosen={chosen}
        onChange={(ids) => {
          chosen = [...ids]
        }}
      />
    ),
    run: (signal) => run(chosen, signal),
  })
}

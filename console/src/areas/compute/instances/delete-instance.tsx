import type { Instance } from '@mainstay/contract/compute/instances'
import { textsNow } from '../../../i18n/use-t'
import { confirmDelete } from '../../../patterns/confirm-delete'
import { DeleteVolumes } from './DeleteVolumes'

/**
 * Asks before an instance is deleted, with its volumes to tick: those that go with it by their own flag are ticked at
 * first (I4).
 */
export function askDeleteInstance(
  { name, volumes }: Pick<Instance, 'name' | 'volumes'>,
  run: (deletedVolumes: readonly string[], signal: AbortSignal) => Promise<unknown>,
) {
  const t = textsNow('instances')
  let chosen = volumes.filter((volume) => volume.delete_on_termination).map(({ id }) => id)
  return confirmDelete({
    what: t('instances.noun'),
    name,
    text: (
      <DeleteVolumes
        volumes={volumes}
        chosen={chosen}
        onChange={(ids) => {
          chosen = [...ids]
        }}
      />
    ),
    run: (signal) => run(chosen, signal),
  })
}

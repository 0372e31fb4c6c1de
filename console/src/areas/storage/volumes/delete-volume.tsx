import { useState } from 'react'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { call } from '../../../api/call'
import { textsNow, useT } from '../../../i18n/use-t'
import { barQuestion } from '../../../patterns/dialogs/confirm'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import { askRecycle } from '../../../patterns/recycle-bin/ask-recycle'
import { mayNow } from '../../../session/may'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { Bytes } from '../../../ui/values/Bytes'

interface DeleteQuery {
  permanent?: 'true' | 'false'
  cascade?: 'true'
}

/** If the number cannot be loaded, the server still refuses to delete a volume with snapshots. */
async function countSnapshots(volumeId: string): Promise<number> {
  if (!mayNow(volumeSnapshots.list.needs)) return 0
  const query = { volume_id: volumeId, limit: 1, with_count: true }
  return call(volumeSnapshots.list, { query }).then(
    ({ count }) => count ?? 0,
    () => 0,
  )
}

/**
 * Asks for confirmation before deleting a volume. Shows how long it can be restored, and asks whether to delete its
 * snapshots too, because a volume with snapshots cannot be deleted (V3). `days` is 0 if the volume is deleted
 * permanently.
 */
export async function confirmDeleteVolume(
  volume: Volume,
  days: number,
  run: (query: DeleteQuery, signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const t = textsNow('storage')
  const snapshots = await countSnapshots(volume.id)
  let isCascade = false
  const bar = () => (snapshots > 0 && !isCascade ? t('snapshots.deleteTooFirst') : undefined)
  const cascade = (): DeleteQuery => (isCascade ? { cascade: 'true' } : {})
  const partsOf = (isPermanent: boolean) => (
    <VolumeDeletion
      volume={volume}
      isPermanent={isPermanent}
      snapshots={snapshots}
      onCascade={(on) => {
        isCascade = on
        barQuestion(bar())
      }}
    />
  )
  const question = {
    title: t('volumes.deleteOne', { name: volume.name }),
    verb: t('volumes.deleteOneVerb'),
    disabledBecause: bar(),
  }
  return days === 0
    ? confirmDelete({ ...question, text: partsOf(true), run: (signal) => run(cascade(), signal) })
    : askRecycle({
        ...question,
        ...{ item: volume, days, textOf: partsOf },
        run: (query, signal) => run({ ...query, ...cascade() }, signal),
      })
}

interface VolumeDeletionProps {
  volume: Volume
  isPermanent: boolean
  /** Number of snapshots of the volume. */
  snapshots: number
  onCascade: (isCascade: boolean) => void
}

/** Explains what will be deleted along with a volume and what will be kept. */
function VolumeDeletion({ volume, isPermanent, snapshots, onCascade }: VolumeDeletionProps) {
  const t = useT('storage')
  const [isCascade, setCascade] = useState(false)
  const { size, image_name: image } = volume
  return (
    <>
      <p>{isPermanent ? t('volumes.deleteNote') : t('volumes.recycleOne', { size: <Bytes key="size" of={size} /> })}</p>
      {image !== null && <p>{t('volumes.deleteOneImage', { name: image })}</p>}
      {snapshots > 0 && (
        <>
          <p>{t('snapshots.ofVolume', { count: snapshots })}</p>
          <Checkbox
            isSelected={isCascade}
            onChange={(on) => {
              setCascade(on)
              onCascade(on)
            }}
            help={isPermanent ? undefined : t('snapshots.deleteTooHelp')}
          >
            {t('snapshots.deleteToo', { count: snapshots })}
          </Checkbox>
        </>
      )}
    </>
  )
}

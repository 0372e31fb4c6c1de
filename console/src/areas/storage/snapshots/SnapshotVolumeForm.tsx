import { useT } from '../../../i18n/use-t'
import { VolumeForm } from '../volumes/VolumeForm'
import { SnapshotOfAddress } from './SnapshotOfAddress'

/** Creates a volume from the snapshot in the URL. */
export default function SnapshotVolumeForm() {
  const t = useT('storage')
  return (
    <SnapshotOfAddress title={t('volumes.add')} isInProject>
      {(snapshot, closeTo) => <VolumeForm snapshot={snapshot} closeTo={closeTo} />}
    </SnapshotOfAddress>
  )
}

import { useEffect } from 'react'
import { volumeSnapshotKind, volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { snapshotPaths } from './resource'

/** Redirects from the ID of a snapshot, as linked in tasks and the audit log, to the snapshots of its volume. */
export default function SnapshotPage() {
  const t = useT('storage')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(volumeSnapshots.view, { id }, { kind: volumeSnapshotKind })
  const volumeId = view.data?.volume_id
  useEffect(() => {
    if (volumeId !== undefined) go(snapshotPaths.tab(volumeId), { replace: true })
  }, [volumeId, go])
  return (
    <Page title={t('snapshots.one')}>
      <ViewContent view={view}>{() => null}</ViewContent>
    </Page>
  )
}

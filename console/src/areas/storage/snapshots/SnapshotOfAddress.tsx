import type { ReactNode } from 'react'
import { volumeSnapshotKind, volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { InProject } from '../../../patterns/InProject'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Drawer } from '../../../ui/overlays/Drawer'
import { snapshotPaths } from './resource'

interface SnapshotOfAddressProps {
  title: string
  /** Whether the form creates an object in a project, which operators have to choose first. */
  isInProject?: boolean
  /** Renders the form once the snapshot is loaded. */
  children: (snapshot: VolumeSnapshot, closeTo: string) => ReactNode
}

/** Loads the snapshot in the URL for a form. The form returns to the snapshots of the volume. */
export function SnapshotOfAddress({ isInProject = false, ...props }: SnapshotOfAddressProps) {
  const closeTo = snapshotPaths.tab(useParam('id'))
  const loaded = <Loaded {...props} closeTo={closeTo} />
  return isInProject ? <InProject closeTo={closeTo}>{loaded}</InProject> : loaded
}

function Loaded({ title, closeTo, children }: SnapshotOfAddressProps & { closeTo: string }) {
  const t = useT('storage')
  const shell = useT('shell')
  const go = useAppNavigate()
  const id = useParam('snapshotId')
  const { data, problem, reload, isLoading } = useView(volumeSnapshots.view, { id }, { kind: volumeSnapshotKind })
  const isLate = useDelayed(isLoading)
  if (data) return children(data, closeTo)
  return (
    <Drawer isOpen isModal title={title} onClose={() => go(closeTo, { keepsSearch: true })}>
      {problem ? (
        <ErrorPanel
          title={t('snapshots.loadFailed')}
          why={problemText(problem, shell)}
          id={problem.requestId}
          onRetry={problem.kind === 'not-found' ? undefined : reload}
        />
      ) : (
        isLate && <Skeleton width="60%" />
      )}
    </Drawer>
  )
}

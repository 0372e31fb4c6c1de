import type { ReactNode } from 'react'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { InProject } from '../../../patterns/InProject'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Drawer } from '../../../ui/overlays/Drawer'
import { volumeResource } from './resource'

/** Value of `returnRoute` that returns to the volume. Any other value returns to the list. */
export const TO_VOLUME = 'volume'

interface VolumeOfAddressProps {
  title: string
  /** Renders the form once the volume is loaded. */
  children: (volume: Volume, closeTo: string) => ReactNode
}

/** Loads the volume in the URL for a form. */
export function VolumeOfAddress(props: VolumeOfAddressProps) {
  return (
    <InProject closeTo={volumeResource.paths.list()}>
      <Loaded {...props} />
    </InProject>
  )
}

function Loaded({ title, children }: VolumeOfAddressProps) {
  const t = useT('storage')
  const shell = useT('shell')
  const go = useAppNavigate()
  const id = useParam('id')
  const { list, view } = volumeResource.paths
  const closeTo = useOptionalParam('returnRoute') === TO_VOLUME ? view(id) : list()
  const { data, problem, reload, isLoading } = useView(volumes.view, { id }, { kind: volumeKind })
  const isLate = useDelayed(isLoading)
  if (data) return children(data, closeTo)
  return (
    <Drawer isOpen isModal title={title} onClose={() => go(closeTo, { keepsSearch: true })}>
      {problem ? (
        <ErrorPanel
          title={t('volumes.loadFailed')}
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

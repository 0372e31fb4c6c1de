import { imageKind, images } from '@mainstay/contract/compute/images'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { InProject } from '../../../patterns/InProject'
import { Drawer } from '../../../ui/overlays/Drawer'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { imageResource } from '../../compute/images/resource'
import { VolumeForm } from './VolumeForm'

/** Creates a volume from the image in the URL. Returns to the image or, by default, to the image list. */
export default function ImageVolumeForm() {
  return (
    <InProject closeTo={imageResource.paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('storage')
  const shell = useT('shell')
  const go = useAppNavigate()
  const id = useParam('id')
  const closeTo =
    useOptionalParam('returnRoute') === 'image' ? imageResource.paths.view(id) : imageResource.paths.list()
  const { data, problem, reload, isLoading } = useView(images.view, { id }, { kind: imageKind })
  const isLate = useDelayed(isLoading)
  if (data) return <VolumeForm image={data} closeTo={closeTo} />
  return (
    <Drawer isOpen isModal title={t('volumes.add')} onClose={() => go(closeTo, { keepsSearch: true })}>
      {problem ? (
        <ErrorPanel
          title={t('volumes.imageLoadFailed')}
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

import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { InProject } from '../../../patterns/InProject'
import { Drawer } from '../../../ui/overlays/Drawer'
import { instanceResource } from '../instances/resource'
import { imageResource } from './resource'
import ImageSources from './sources/ImageSources'

/** Image sources, in a drawer over the image list. */
export default function ImageSourcesPage() {
  return (
    <InProject closeTo={imageResource.paths.list()}>
      <Sources />
    </InProject>
  )
}

function Sources() {
  const t = useT('sources')
  const go = useAppNavigate()
  return (
    <Drawer
      isOpen
      isModal
      size="large"
      title={t('sources.add')}
      onClose={() => go(imageResource.paths.list(), { keepsSearch: true })}
    >
      <ImageSources onUse={({ id }) => go(instanceResource.paths.add(), { search: { image: id } })} />
    </Drawer>
  )
}

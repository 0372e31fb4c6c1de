import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Mono } from '../../../ui/values/Mono'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { TagList } from '../../../ui/values/TagList'
import { PlacementNames } from '../placements/PlacementNames'
import { distroName, firmwareText, imageStatus, imageTypeText } from './image-words'
import { ImageAccess } from './ImageAccess'
import css from './ImagePage.module.css'
import { imageResource } from './resource'
import { useImageActions } from './use-image-actions'

export default function ImagePage() {
  const t = useT('images')
  const go = useAppNavigate()
  const id = useParam('id')
  const image = useView(images.view, { id }, { kind: imageKind })
  const { actions, dialog } = useImageActions({
    deleted: () => go(imageResource.paths.list(), { keepsSearch: true }),
    backTo: 'image',
  })

  return (
    <>
      <DrawerPage
        view={image}
        what={t('images.one')}
        title={({ name }) => name}
        subtitle={(it) => {
          const { tone, text, detail } = imageStatus(it, t)
          return (
            <StatusBadge tone={tone} detail={detail}>
              {text}
            </StatusBadge>
          )
        }}
        actions={actions}
        closeTo={imageResource.paths.list()}
      >
        {(it) => <ImageFacts image={it} />}
      </DrawerPage>
      {dialog}
    </>
  )
}

function ImageFacts({ image }: { image: Image }) {
  const t = useT('images')
  const patterns = useT('patterns')
  const format = useFormat()
  const isAllTenants = useIsAllTenants()
  return (
    <div className={css.body}>
      {image.fault && (
        <Banner tone="bad" title={t('images.fault')}>
          {image.fault}
        </Banner>
      )}
      {imageInProgress(image.status) && (
        <ProgressBar
          label={imageStatus(image, t).text}
          share={image.progress === null ? null : image.progress / 100}
          {...(image.size !== null && image.progress === null && { detail: format.bytes(image.size) })}
        />
      )}
      <div>
        <Facts
          rows={[
            [t('images.type'), imageTypeText(image, t)],
            [t('images.distro'), distroName(image.os_distro)],
            [t('images.size'), image.size !== null ? <Bytes key="size" of={image.size} /> : null],
            [
              t('images.virtualSize'),
              image.virtual_size !== null ? <Bytes key="virtual" of={image.virtual_size} /> : null,
            ],
            [t('images.access'), <ImageAccess key="access" image={image} />],
            image.description !== '' && [t('images.description'), image.description],
            [t('images.volumesMade'), <VolumeCount key="volumes" imageId={image.id} />],
            image.traits.length > 0 && [t('images.placements'), <PlacementNames key="placements" ids={image.traits} />],
            image.tags.length > 0 && [
              t('images.tags'),
              <TagList key="tags" label={t('images.tags')} tags={image.tags} />,
            ],
          ]}
        />
        <Facts
          title={t('images.asks')}
          rows={[
            [t('images.minDisk'), image.min_disk > 0 ? <Amount key="disk" of={image.min_disk} unit="GiB" /> : null],
            [t('images.minRam'), image.min_ram > 0 ? <Amount key="ram" of={image.min_ram} unit="MiB" /> : null],
            [t('images.firmware'), firmwareText(image, t)],
            [t('images.username'), image.username !== null ? <Mono key="user">{image.username}</Mono> : null],
            [t('images.setsPassword'), t(image.allow_set_password ? 'images.yes' : 'images.no')],
          ]}
        />
        <Facts
          title={t('images.file')}
          rows={[
            [t('images.format'), image.disk_format],
            [t('images.md5'), image.checksum !== null ? <CopyableCode key="md5">{image.checksum}</CopyableCode> : null],
            image.os_hash_algo !== null && [
              t('images.digest', { algorithm: image.os_hash_algo.toUpperCase().replace(/^SHA(?=\d)/, 'SHA-') }),
              <CopyableCode key="digest">{image.os_hash_value ?? ''}</CopyableCode>,
            ],
            ...standardFacts(image, patterns, isAllTenants),
          ]}
        />
      </div>
    </div>
  )
}

/** Number of volumes created from the image, shown so that users can judge the effect of deleting it. */
function VolumeCount({ imageId }: { imageId: string }) {
  const format = useFormat()
  const may = useMay()
  const isEnabled = may(volumes.list.needs)
  const { total } = useList(volumes.list, volumeKind, {
    only: { image_id: imageId },
    stateIn: 'memory',
    limit: 1,
    isEnabled,
  })
  return total === undefined ? '–' : format.number(total)
}

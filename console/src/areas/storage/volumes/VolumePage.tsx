import { read } from '@mainstay/contract/core/endpoint'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { AlertsOf } from '../../../patterns/alerts/AlertsOf'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { LockFact } from '../../../patterns/deletion-lock/LockFact'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { Bytes } from '../../../ui/values/Bytes'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { imageResource } from '../../compute/images/resource'
import { volumeResource } from './resource'
import { useVolumeActions } from './use-volume-actions'
import { volumeStatus } from './volume-words'
import css from './VolumePage.module.css'
import { VolumeUsers } from './VolumeUsers'

// `overview` is the only tab until volumes have snapshots, so it is shown whether or not the URL names the tab
export default function VolumePage() {
  const t = useT('storage')
  const go = useAppNavigate()
  const id = useParam('id')
  const volume = useView(volumes.view, { id }, { kind: volumeKind })
  const { actions, dialog } = useVolumeActions({
    deleted: () => go(volumeResource.paths.list(), { keepsSearch: true }),
  })

  return (
    <>
      <DrawerPage
        view={volume}
        what={t('volumes.one')}
        title={({ name }) => name}
        subtitle={(it) => {
          const { tone, text, detail } = volumeStatus(it, t)
          return (
            <StatusBadge tone={tone} detail={detail}>
              {text}
            </StatusBadge>
          )
        }}
        actions={actions}
        closeTo={volumeResource.paths.list()}
      >
        {(it) => (
          <>
            <AlertsOf kind={volumeKind.name} id={it.id} />
            <Overview volume={it} />
          </>
        )}
      </DrawerPage>
      {dialog}
    </>
  )
}

function Overview({ volume }: { volume: Volume }) {
  const t = useT('storage')
  const locks = useT('locks')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  return (
    <div className={css.body}>
      {volume.fault && (
        <Banner tone="bad" title={t('volumes.fault')}>
          {volume.fault}
        </Banner>
      )}
      {volumeInProgress(volume) && volume.progress !== null && (
        <ProgressBar label={volumeStatus(volume, t).text} share={volume.progress / 100} />
      )}
      <Facts
        rows={[
          [t('volumes.size'), <Bytes key="size" of={volume.size} />],
          [t('volumes.attachedTo'), <VolumeUsers key="users" attachments={volume.attachments} />],
          [t('volumes.bootable'), t(volume.bootable ? 'volumes.yes' : 'volumes.no')],
          [t('volumes.policy'), volume.storage_policy_name],
          [t('volumes.image'), <SourceImage key="image" volume={volume} />],
          [locks('fact'), <LockFact key="lock" resource={volumeResource} item={volume} />],
          volume.description !== '' && [t('volumes.description'), volume.description],
          ...standardFacts(volume, patterns, isAllTenants),
        ]}
      />
    </div>
  )
}

/** The source image. Its name is kept even after the image is deleted. */
function SourceImage({ volume: { image_id: id, image_name: name } }: { volume: Volume }) {
  const mayRead = useMay()(read('compute_image'))
  if (id === null) return '–'
  return mayRead ? <Link to={imageResource.paths.view(id)}>{name ?? id}</Link> : (name ?? id)
}

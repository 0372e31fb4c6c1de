import { lazy } from 'react'
import { read } from '@mainstay/contract/core/endpoint'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
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
import { snapshotPaths } from '../snapshots/resource'
import { useSnapshotsOf } from '../snapshots/use-snapshots-of'
import { volumeResource } from './resource'
import { useVolumeActions } from './use-volume-actions'
import { volumeStatus } from './volume-words'
import css from './VolumePage.module.css'
import { VolumeUsers } from './VolumeUsers'

const SnapshotsTab = lazy(() => import('../snapshots/SnapshotsTab'))

/** `volumes/{volumeId}/{overview|snapshots}`: the details of a volume. */
export default function VolumePage() {
  const t = useT('storage')
  const go = useAppNavigate()
  const may = useMay()
  const id = useParam('id')
  const asked = useOptionalParam('tab')
  // the forms of a snapshot open over the snapshots
  const isOfSnapshot = useOptionalParam('snapshotId') !== undefined
  const volume = useView(volumes.view, { id }, { kind: volumeKind })
  const snapshots = useSnapshotsOf(id)
  const maySeeSnapshots = may(volumeSnapshots.list.needs)
  const isOnSnapshots = maySeeSnapshots && (asked === 'snapshots' || isOfSnapshot)
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
        size={isOnSnapshots ? 'wide' : 'normal'}
        tabs={
          maySeeSnapshots
            ? {
                selected: isOnSnapshots ? 'snapshots' : 'overview',
                to: (tab) => (tab === 'snapshots' ? snapshotPaths.tab(id) : volumeResource.paths.view(id)),
                items: [
                  { id: 'overview', label: t('volumes.overview') },
                  { id: 'snapshots', label: t('snapshots.title'), count: snapshots.total },
                ],
              }
            : undefined
        }
      >
        {(it) =>
          isOnSnapshots ? (
            <SnapshotsTab volume={it} list={snapshots} />
          ) : (
            <>
              <AlertsOf kind={volumeKind.name} id={it.id} />
              <Overview volume={it} />
            </>
          )
        }
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

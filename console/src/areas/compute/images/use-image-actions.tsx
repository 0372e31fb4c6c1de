import { useState, type ReactNode } from 'react'
import { imageDeleteBlocked, imageInProgress } from '@mainstay/contract/compute/image-rules'
import { images, type Image } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { instances } from '@mainstay/contract/compute/instances'
import { create } from '@mainstay/contract/core/endpoint'
import { useT, type Translate } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions, type Removal } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { isAllTenants, useSession } from '../../../session/session'
import { DownloadIcon, EditIcon, InstanceIcon, VolumeIcon } from '../../../ui/icons'
import { instanceResource } from '../instances/resource'
import { downloadImage } from './download-image'
import { ImageEditForm } from './ImageEditForm'
import { imageResource } from './resource'

/** The reason why the image cannot be deleted at the moment, or undefined if it can. */
export function deleteBarred(image: Image, t: Translate<'images'>): string | undefined {
  const blocked = imageDeleteBlocked(image)
  return blocked ? t(blocked === 'busy' ? 'images.busy' : 'images.isProtected') : undefined
}

/** Whether the current project owns the image. Images shared by other projects can be used but not changed. */
export function useOwnsImage(): (image: Pick<Image, 'project_id'>) => boolean {
  const project = useSession(({ meta }) => meta?.scope.project_id)
  const isEverywhere = useSession(isAllTenants)
  return ({ project_id: owner }) => isEverywhere || owner === project
}

interface ImageActions {
  actions: (image: Image) => RowAction[]
  bulk: Removal<Image>['bulk']
  /** The form opened by an action, to be rendered by the caller. */
  dialog: ReactNode
}

/**
 * Path of the form that creates a volume from an image. Closing the form returns to the list or, with `backTo`, to the
 * image.
 */
const createVolumePath = (id: string, backTo?: 'image') =>
  imageResource.paths.below(id, 'create-volume', ...(backTo ? [backTo] : []))

/**
 * Actions for an image, used in its list row and on its details page. `deleted` is called after the image has been
 * deleted.
 */
export function useImageActions({ deleted, backTo }: { deleted?: () => void; backTo?: 'image' } = {}): ImageActions {
  const t = useT('images')
  const may = useMay()
  const go = useAppNavigate()
  const owns = useOwnsImage()
  const [edited, edit] = useState<Image>()
  const removal = useDeleteActions(imageResource, {
    note: t('images.deleteNote'),
    barredBecause: (image) => deleteBarred(image, t),
    skippedBecause: (image) => (owns(image) ? deleteBarred(image, t) : t('images.notOwn')),
    refresh: [quotas.view],
    deleted,
  })

  function actions(image: Image): RowAction[] {
    const { id, status, type, restricted } = image
    const isReady = status === 'active'
    const notReady = isReady ? undefined : t('images.notReady')
    const mayChange = owns(image) && may(images.update.needs)
    return [
      ...(may(instances.create.needs)
        ? [
            {
              label: t('images.use'),
              icon: InstanceIcon,
              isLikely: true,
              disabledBecause: notReady,
              run: () => go(instanceResource.paths.add(), { search: { image: id } }),
            },
          ]
        : []),
      ...(may(create('compute_volumes'))
        ? [
            {
              label: t('images.createVolume'),
              icon: VolumeIcon,
              isLikely: true,
              disabledBecause: type === 'iso' ? t('images.isoNoVolume') : notReady,
              run: () => go(createVolumePath(id, backTo), { keepsSearch: true }),
            },
          ]
        : []),
      ...(mayChange
        ? [
            {
              label: t('images.edit'),
              icon: EditIcon,
              disabledBecause: imageInProgress(status) ? t('images.busy') : undefined,
              run: () => edit(image),
            },
          ]
        : []),
      ...(may(images.download.needs)
        ? [
            {
              label: t('images.download'),
              icon: DownloadIcon,
              disabledBecause: restricted ? t('images.isRestricted') : notReady,
              run: () => downloadImage(image),
            },
          ]
        : []),
      ...(owns(image) ? removal.action(image) : []),
    ]
  }

  const dialog = edited && <ImageEditForm key={edited.id} image={edited} onClose={() => edit(undefined)} />
  return { actions, bulk: removal.bulk, dialog }
}

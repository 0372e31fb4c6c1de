import { useState, type ReactNode } from 'react'
import { imageDeleteBlocked, imageInProgress } from '@mainstay/contract/compute/image-rules'
import { images, type Image } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { create } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../../api/use-call'
import { useT, type Translate } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { confirmDelete } from '../../../patterns/confirm-delete'
import type { RowAction } from '../../../patterns/row-action'
import { useMay } from '../../../session/may'
import { isAllTenants, useSession } from '../../../session/session'
import { DeleteIcon, DownloadIcon, EditIcon, InstanceIcon, VolumeIcon } from '../../../ui/icons'
import { downloadImage } from './download-image'
import { ImageEditForm } from './ImageEditForm'

/** Why an image cannot be deleted now, in words. */
export function deleteBarred(image: Image, t: Translate<'compute'>): string | undefined {
  const blocked = imageDeleteBlocked(image)
  return blocked ? t(blocked === 'busy' ? 'images.busy' : 'images.isProtected') : undefined
}

/** An image shared by another project can be used here and not changed. */
export function useOwnsImage(): (image: Pick<Image, 'project_id'>) => boolean {
  const project = useSession(({ meta }) => meta?.scope.project_id)
  const isEverywhere = useSession(isAllTenants)
  return ({ project_id: owner }) => isEverywhere || owner === project
}

interface ImageActions {
  actions: (image: Image) => RowAction[]
  /** Stands somewhere on the page: the form that an action opened. */
  dialog: ReactNode
}

/** What can be done to an image, on its row and in its details. `deleted`: after it was deleted from here. */
export function useImageActions({ deleted, backTo }: { deleted?: () => void; backTo?: 'image' } = {}): ImageActions {
  const t = useT('compute')
  const may = useMay()
  const go = useGo()
  const owns = useOwnsImage()
  const [edited, edit] = useState<Image>()
  const remove = useCall(images.delete, { refresh: [images.list], ...(deleted && { done: deleted }) })

  function actions(image: Image): RowAction[] {
    const { id, name, status, type, restricted } = image
    const isReady = status === 'active'
    const notReady = isReady ? undefined : t('images.notReady')
    const mayChange = owns(image) && may(images.update.needs)
    const mayDelete = owns(image) && may(images.delete.needs)
    return [
      ...(may(instances.create.needs)
        ? [
            {
              label: t('instances.add'),
              icon: InstanceIcon,
              isLikely: true,
              disabledBecause: notReady,
              run: () => go(paths.instances.add(), { search: { image: id } }),
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
              run: () => go(paths.images.createVolume(id, backTo), { keepsSearch: true }),
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
      ...(mayDelete
        ? [
            {
              label: t('delete'),
              icon: DeleteIcon,
              isDanger: true,
              disabledBecause: deleteBarred(image, t),
              run: () =>
                void confirmDelete({
                  what: t('images.oneInSentence'),
                  name,
                  text: t('images.deleteNote'),
                  run: (signal) => remove.run({ params: { id } }, { signal }),
                }),
            },
          ]
        : []),
    ]
  }

  const dialog = edited && <ImageEditForm key={edited.id} image={edited} onClose={() => edit(undefined)} />
  return { actions, dialog }
}

import { imageInProgress, osDistros } from '@mainstay/contract/compute/image-rules'
import type { Image } from '@mainstay/contract/compute/images'
import { formatNow } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

/** Image status as displayed (product notes 02, C3). */
export function imageStatus({ status, progress }: Pick<Image, 'status' | 'progress'>, t: Translate<'images'>): Status {
  if (imageInProgress(status)) {
    const detail = progress === null || progress === 0 ? undefined : formatNow().percent(progress / 100, 0)
    return { tone: 'busy', text: t(status === 'importing' ? 'images.importing' : 'images.uploading'), detail }
  }
  switch (status) {
    case 'active':
      return { tone: 'ok', text: t('images.active') }
    case 'deactivated':
      return { tone: 'idle', text: t('images.deactivated') }
    case 'pending_delete':
    case 'deleted':
      return { tone: 'busy', text: t('images.deleting') }
    default:
      return { tone: 'bad', text: t('images.error') }
  }
}

export const imageTypeText = ({ type }: Pick<Image, 'type'>, t: Translate<'images'>) =>
  t(type === 'iso' ? 'images.iso' : 'images.template')

/** Display name of a distribution. Falls back to the ID if the distribution is unknown. */
export const distroName = (id: string): string => osDistros.find((distro) => distro.id === id)?.name ?? id

/** The firmware that an image requires, such as "UEFI, secure boot, TPM 2.0". */
export function firmwareText(image: Image, t: Translate<'images'>): string {
  const { hw_firmware_type: firmware, os_secure_boot: isSecure, hw_tpm_version: tpm } = image
  return [
    firmware === 'uefi' ? 'UEFI' : 'BIOS',
    ...(isSecure ? [t('images.secureBootWord')] : []),
    ...(tpm ? [`TPM ${tpm}`] : []),
  ].join(', ')
}

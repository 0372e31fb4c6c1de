import { osDistros } from '@mainstay/contract/compute/image-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Translate } from '../../../i18n/use-t'

/** The source of an instance: the name of its image or operating system, or a text for “no image”. */
export function osName(
  { image_name, os_distro }: Pick<Instance, 'image_name' | 'os_distro'>,
  t: Translate<'instances'>,
): string {
  return image_name ?? osDistros.find(({ id }) => id === os_distro)?.name ?? t('instances.noImage')
}

import type { Image } from '@mainstay/contract/compute/images'
import { useT } from '../../../i18n/use-t'
import { Badge } from '../../../ui/values/Badge'
import { LockIcon } from '../../../ui/icons'
import css from './ImageAccess.module.css'

/** Visibility of an image, with badges if it is protected or restricted. */
export function ImageAccess({ image }: { image: Pick<Image, 'visibility' | 'protected' | 'restricted'> }) {
  const t = useT('images')
  return (
    <span className={css.access}>
      {t(image.visibility === 'public' ? 'images.public' : 'images.private')}
      {image.protected && (
        <Badge>
          <LockIcon size={12} />
          {t('images.protectedWord')}
        </Badge>
      )}
      {image.restricted && <Badge>{t('images.restrictedWord')}</Badge>}
    </span>
  )
}

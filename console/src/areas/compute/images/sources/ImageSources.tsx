import type { Image } from '@mainstay/contract/compute/images'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { CatalogueList } from './CatalogueList'
import css from './ImageSources.module.css'
import { ImportByAddress } from './ImportByAddress'
import { UploadByDrop } from './UploadByDrop'
import { useCanImport } from './use-imports'

interface ImageSourcesProps {
  /** What an image that is there is used for; left out where it is only fetched. */
  onUse?: ((image: Image) => void) | undefined
}

/** Where images come from: the catalogue, a web address, this computer. */
export default function ImageSources({ onUse }: ImageSourcesProps) {
  const t = useT('sources')
  const canImport = useCanImport()
  const isUnknown = canImport === undefined
  const isLate = useDelayed(isUnknown)
  // an upload alone, for a moment, would look like all there is
  if (isUnknown) return isLate && <SkeletonRows rows={6} columns={3} />
  return (
    <div className={css.sources}>
      {canImport && <CatalogueList onUse={onUse} />}
      <section className={css.part} aria-label={t('sources.own')}>
        <h3>{t('sources.own')}</h3>
        <div className={css.own}>
          {canImport && <ImportByAddress />}
          <UploadByDrop />
        </div>
      </section>
    </div>
  )
}

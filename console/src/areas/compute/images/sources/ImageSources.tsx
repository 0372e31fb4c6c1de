import type { Image } from '@mainstay/contract/compute/images'
import { useT } from '../../../../i18n/use-t'
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

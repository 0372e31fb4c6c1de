import type { Image } from '@mainstay/contract/compute/images'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { CatalogueList } from './CatalogueList'
import css from './ImageSources.module.css'
import { ImportByAddress } from './ImportByAddress'
import { useCanImport } from './use-imports'
import { imageTypeOfFile, isoExtensions, templateExtensions } from '@mainstay/contract/compute/image-file-types'
import { useState } from 'react'
import { imageUpload } from '../../../../notices/image-upload'
import { startUpload } from '../../../../notices/uploads'
import { FileDrop } from '../../../../ui/fields/FileDrop'
import { imageDraftOf, emptyImageForm, readFileName } from '../image-form'
import { headersOf } from '../image-headers'

const extensions = [...isoExtensions, ...templateExtensions]

/** Uploads a local file immediately. Properties that cannot be guessed from its name can be edited later. */
function UploadByDrop() {
  const t = useT('sources')
  const [refused, setRefused] = useState<string>()
  function take(files: readonly File[]) {
    const [file] = files
    if (!file) return
    if (file.size === 0 || !imageTypeOfFile(file.name)) return setRefused(file.name)
    setRefused(undefined)
    const draft = imageDraftOf({ ...emptyImageForm, ...readFileName(file.name), file })
    startUpload(imageUpload, draft.name, { file, headers: headersOf(draft) })
  }
  return (
    <FileDrop
      label={t('sources.drop')}
      anywhere={t('sources.dropAnywhere')}
      files={[]}
      onChange={take}
      accept={extensions.map((extension) => `.${extension}`)}
      help={t('sources.dropHelp', { formats: extensions.join(', ') })}
      {...(refused !== undefined && { error: t('sources.dropRefused', { name: refused }) })}
    />
  )
}

interface ImageSourcesProps {
  /** Called when the user chooses an available image. Omitted where images are only imported. */
  onUse?: ((image: Image) => void) | undefined
}

/** Image sources: the catalogue, a URL, or a local file. */
export default function ImageSources({ onUse }: ImageSourcesProps) {
  const t = useT('sources')
  const canImport = useCanImport()
  const isUnknown = canImport === undefined
  const isLate = useDelayed(isUnknown)
  // wait until this is known: if only the upload were shown, users would assume that it is the only source
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

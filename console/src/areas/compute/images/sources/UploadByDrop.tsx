import { imageTypeOfFile, isoExtensions, templateExtensions } from '@mainstay/contract/compute/image-rules'
import { useState } from 'react'
import { useT } from '../../../../i18n/use-t'
import { imageUpload } from '../../../../notices/image-upload'
import { startUpload } from '../../../../notices/uploads'
import { FileDrop } from '../../../../ui/fields/FileDrop'
import { draftOf, emptyImageForm, readFileName } from '../image-form'
import { headersOf } from '../image-headers'

const extensions = [...isoExtensions, ...templateExtensions]

/** A file of this computer, uploaded at once; what its name does not tell can be changed later. */
export function UploadByDrop() {
  const t = useT('sources')
  const [refused, setRefused] = useState<string>()
  function take(files: readonly File[]) {
    const [file] = files
    if (!file) return
    if (file.size === 0 || !imageTypeOfFile(file.name)) return setRefused(file.name)
    setRefused(undefined)
    const draft = draftOf({ ...emptyImageForm, ...readFileName(file.name), file })
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

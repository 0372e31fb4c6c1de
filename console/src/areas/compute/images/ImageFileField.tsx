import { useFormContext } from 'react-hook-form'
import { imageTypeOfFile, isoExtensions, templateExtensions } from '@mainstay/contract/compute/image-file-types'
import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { FileDrop } from '../../../ui/fields/FileDrop'
import { emptyImageForm, readFileName, type ImageForm } from './image-form'
import { imageTypeText } from './image-words'

const accept = [...isoExtensions, ...templateExtensions].map((extension) => `.${extension}`)
const templates = templateExtensions.join(', ')

/** The file to upload. Its name prefills other fields, except those that the user has edited. */
export function ImageFileField() {
  const t = useT('images')
  const { value: file, error, isDisabled } = useBound<File | null>('file')
  const { setValue, getValues } = useFormContext<ImageForm>()

  function take(next: File | null) {
    // validate immediately, so that an unsupported file is reported before the user fills in the form
    setValue('file', next, { shouldValidate: true, shouldDirty: true, shouldTouch: true })
    if (!next || !imageTypeOfFile(next.name)) return
    const known = readFileName(next.name)
    const before = file ? readFileName(file.name) : emptyImageForm
    setValue('disk_format', known.disk_format)
    for (const name of ['name', 'os_distro'] as const)
      if (getValues(name) === before[name]) setValue(name, known[name], { shouldValidate: true })
  }

  const type = file && imageTypeOfFile(file.name)
  return (
    <FileDrop
      label={t('images.file')}
      files={file ? [file] : []}
      onChange={([next]) => take(next ?? null)}
      accept={accept}
      isDisabled={isDisabled}
      help={type ? imageTypeText({ type }, t) : t('images.fileHelp', { templates })}
      {...(error !== undefined && { error })}
    />
  )
}

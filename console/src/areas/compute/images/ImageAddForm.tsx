import { useMemo } from 'react'
import { diskFormats, imageTypeOfFile } from '@mainstay/contract/compute/image-file-types'
import { isDryRun } from '../../../api/dry-run'
import { useT } from '../../../i18n/use-t'
import { imageUpload } from '../../../notices/image-upload'
import { startUpload } from '../../../notices/uploads'
import { Checkbox, Select, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { Disclosure } from '../../../ui/Disclosure'
import { imageDraftOf, emptyImageForm, imageForm, type ImageForm } from './image-form'
import { headersOf } from './image-headers'
import css from './ImageAddForm.module.css'
import { DistroField, MinimumFields, SharingFields } from './image-fields'
import { ImageFileField } from './ImageFileField'
import { imageResource } from './resource'
import { TagsField } from './TagsField'

/** Queues the file for upload. A notification reports the result, even if the user has left the page. */
async function send(form: ImageForm) {
  const { file } = form
  // a dry run shows the API calls as code, which cannot express a file upload
  if (!file || isDryRun()) return
  const draft = imageDraftOf(form)
  startUpload(imageUpload, draft.name, { file, headers: headersOf(draft) })
}

export default function ImageAddForm() {
  return (
    <InProject closeTo={imageResource.paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('images')
  const schema = useMemo(() => imageForm(t), [t])
  return (
    <FormDialog
      title={t('images.add')}
      verb={t('images.add')}
      schema={schema}
      start={emptyImageForm}
      send={send}
      closeTo={imageResource.paths.list()}
    >
      <ImageFileField />
      <Quota />
      <TextField name="name" label={t('images.name')} />
      <DistroField />
      <SharingFields />
      <FirmwareFields />
      <Advanced />
    </FormDialog>
  )
}

/** Shows the file size against the project's image storage quota. */
function Quota() {
  const t = useT('images')
  const file = useWatched<File | null>('file')
  const row = { quota: 'image_storage', label: t('images.storage'), added: file?.size ?? 0 } as const
  return <ProjectQuota rows={[row]} />
}

function FirmwareFields() {
  const t = useT('images')
  const isUefi = useWatched<boolean>('uefi')
  return (
    <>
      <Checkbox name="uefi">{t('images.uefi')}</Checkbox>
      {isUefi && (
        <div className={css.nested}>
          <Checkbox name="secure_boot">{t('images.secureBoot')}</Checkbox>
        </div>
      )}
    </>
  )
}

function Advanced() {
  const t = useT('images')
  const file = useWatched<File | null>('file')
  const isUefi = useWatched<boolean>('uefi')
  const format = useWatched<string>('disk_format')
  const tpm = useWatched<string>('tpm')
  const isIso = file !== null && imageTypeOfFile(file.name) === 'iso'
  const summary = [
    ...(isIso ? [] : [t('images.formatSummary', { format: format === 'detect' ? t('images.detected') : format })]),
    ...(tpm === 'none' ? [] : [`TPM ${tpm}`]),
  ].join(', ')
  return (
    <Disclosure title={t('images.advanced')} summary={summary}>
      <div className={css.fields}>
        {!isIso && (
          <Select
            name="disk_format"
            label={t('images.format')}
            help={t('images.formatHelp')}
            items={[
              { id: 'detect', label: t('images.detect') },
              ...diskFormats.filter((id) => id !== 'iso').map((id) => ({ id, label: id })),
            ]}
          />
        )}
        <MinimumFields />
        <Select
          name="tpm"
          label={t('images.tpm')}
          items={[
            { id: 'none', label: t('images.tpmNone') },
            { id: '1.2', label: 'TPM 1.2' },
            { id: '2.0', label: 'TPM 2.0', ...(!isUefi && { disabledBecause: t('images.tpmNeedsUefi') }) },
          ]}
        />
        <TagsField name="tags" label={t('images.tags')} />
        <TextArea name="description" label={t('images.description')} isOptional rows={2} />
      </div>
    </Disclosure>
  )
}

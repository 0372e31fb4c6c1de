import { useMemo } from 'react'
import { images, type Image } from '@mainstay/contract/compute/images'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Checkbox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { changeOf, editFormOf, imageEditForm } from './image-form'
import { DistroField, MinimumFields, SharingFields } from './image-fields'
import { TagsField } from './TagsField'

interface ImageEditFormProps {
  image: Image
  onClose: () => void
}

/** Edits the properties of an image. The image data is immutable. */
export function ImageEditForm({ image, onClose }: ImageEditFormProps) {
  const t = useT('images')
  const schema = useMemo(() => imageEditForm(t), [t])
  const update = useCall(images.update, {
    refresh: [images.list, images.view],
    done: ({ name }) => toast(t('images.saved', { name })),
  })
  return (
    <FormDialog
      title={t('images.editTitle', { name: image.name })}
      verb={t('images.save')}
      schema={schema}
      start={editFormOf(image)}
      send={(form) => update.run({ params: { id: image.id }, body: changeOf(image, form) })}
      onClose={onClose}
    >
      <TextField name="name" label={t('images.name')} autoFocus />
      <TextArea name="description" label={t('images.description')} isOptional rows={2} />
      <DistroField />
      <MinimumFields />
      <TagsField name="tags" label={t('images.tags')} />
      <TextField name="username" label={t('images.username')} help={t('images.usernameHelp')} isOptional isMono />
      <Checkbox name="allow_set_password" help={t('images.setsPasswordHelp')}>
        {t('images.setsPasswordChoice')}
      </Checkbox>
      <SharingFields />
    </FormDialog>
  )
}

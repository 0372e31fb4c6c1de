import { useState } from 'react'
import { s3Keys, S3KeyDraft, type NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { s3Paths } from '../paths'
import { SecretDialog } from './SecretDialog'

/** `s3-storage/access/create-key`: creates an access key and shows its secret once. */
export default function KeyAddForm() {
  const t = useT('objectStorage')
  const go = useAppNavigate()
  const create = useCall(s3Keys.create, { refresh: [s3Keys.account] })
  const [made, setMade] = useState<NewS3Key>()
  if (made) return <SecretDialog made={made} onClose={() => go(s3Paths.access(), { replace: true })} />
  return (
    <FormDialog
      title={t('keys.add')}
      verb={t('keys.add')}
      schema={S3KeyDraft}
      start={{ name: '' }}
      send={({ name }) => create.run({ body: name ? { name } : {} })}
      done={setMade}
      closeTo={s3Paths.access()}
      place="middle"
    >
      <TextField name="name" label={t('keys.name')} help={t('keys.nameHelp')} isOptional autoFocus />
    </FormDialog>
  )
}

import { useId } from 'react'
import { managementBackup, type ManagementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { useCall } from '../../../api/use-call'
import { useLanguage } from '../../../i18n/language'
import { useT } from '../../../i18n/use-t'
import { FormBody } from '../../../patterns/form/FormBody'
import { NumberField, RadioCards, Select, TextField } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { BackupForm, bodyOf, startOf } from './backup-form'
import css from './backup.module.css'
import { BucketFields } from './BucketFields'
import { hasSummerTime, hoursByLocalTime, localTime, utcTime } from './hours'

interface PlaceFormProps {
  values: ManagementBackup
  onSaved: (saved: ManagementBackup) => void
}

/** Settings of the daily backup. The server tests the backup location before it saves the settings. */
export function PlaceForm({ values, onSaved }: PlaceFormProps) {
  const t = useT('infrastructure')
  const patterns = useT('patterns')
  const id = useId()
  const save = useCall(managementBackup.update, { refresh: [managementBackup.view] })
  const state = useForm({
    schema: BackupForm,
    start: startOf(values),
    send: (form) => save.run({ body: bodyOf(form) }),
    done: onSaved,
  })
  return (
    <FormBody state={state} id={id} isWide>
      <div className={css.fields}>
        <HourField />
        <NumberField
          name="keep"
          label={t('backup.place.keep')}
          help={t('backup.place.keep.help')}
          minValue={1}
          maxValue={100}
        />
      </div>
      <RadioCards
        name="place.kind"
        label={t('backup.place.kind')}
        isGrid
        items={[
          { id: 'folder', label: t('backup.place.folder'), description: t('backup.place.folder.help') },
          { id: 's3', label: t('backup.place.s3'), description: t('backup.place.s3.help') },
        ]}
      />
      <PlaceFields hasSecret={values.has_secret_access_key} />
      <div>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {patterns('save')}
        </Button>
      </div>
    </FormBody>
  )
}

function HourField() {
  const t = useT('infrastructure')
  const { tag } = useLanguage()
  const hour = Number(useWatched<string>('hour'))
  return (
    <Select
      name="hour"
      label={t('backup.place.hour')}
      help={t(hasSummerTime() ? 'backup.place.utcFixed' : 'backup.place.utc', { time: utcTime(hour, tag) })}
      items={hoursByLocalTime().map((one) => ({
        id: String(one),
        label: localTime(one, tag),
        end: t('backup.place.utc', { time: utcTime(one, tag) }),
      }))}
    />
  )
}

const BUCKET_NAMES = {
  endpoint: 'place.endpoint',
  region: 'place.region',
  bucket: 'place.bucket',
  prefix: 'place.prefix',
  accessKey: 'place.access_key_id',
  secret: 'secret_access_key',
}

function PlaceFields({ hasSecret }: { hasSecret: boolean }) {
  const t = useT('infrastructure')
  const kind = useWatched<'folder' | 's3'>('place.kind')
  if (kind === 'folder')
    return <TextField name="place.path" label={t('backup.place.path')} help={t('backup.place.path.help')} isMono />
  return <BucketFields names={BUCKET_NAMES} hasSecret={hasSecret} />
}

import { useT } from '../../../i18n/use-t'
import { TextField } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import css from './backup.module.css'

interface BucketFieldsProps {
  /** Names of the fields in the API request. */
  names: Record<'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKey' | 'secret', string>
  /** Whether the server already has a secret key, so that an empty field keeps it. */
  hasSecret: boolean
}

/** Address and keys of an S3 bucket that stores backups. */
export function BucketFields({ names, hasSecret }: BucketFieldsProps) {
  const t = useT('infrastructure')
  return (
    <div className={css.fields}>
      <TextField
        name={names.endpoint}
        label={t('backup.place.endpoint')}
        help={t('backup.place.endpoint.help')}
        isMono
      />
      <TextField name={names.region} label={t('backup.place.region')} isMono />
      <TextField name={names.bucket} label={t('backup.place.bucket')} isMono />
      <TextField
        name={names.prefix}
        label={t('backup.place.prefix')}
        help={t('backup.place.prefix.help')}
        isMono
        isOptional
      />
      <TextField name={names.accessKey} label={t('backup.place.accessKey')} isMono autoComplete="off" />
      <PasswordField
        name={names.secret}
        label={t('backup.place.secret')}
        autoComplete="new-password"
        help={hasSecret ? t('backup.place.secret.kept') : undefined}
      />
    </div>
  )
}

import type { NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { OneTimeSecretDialog } from '../../../patterns/dialogs/OneTimeSecretDialog'

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
/** Formats an access key as CSV. Uses the same CSV format as other S3 consoles, so that tools can import it. */
export const keyAsCsv = ({ acc_key: key, sec_key: secret }: Pick<NewS3Key, 'acc_key' | 'sec_key'>): string =>
  `Access key ID,Secret access key\r\n${cell(key)},${cell(secret)}\r\n`

/** Shows a new key with its secret, which cannot be displayed again. */
export function SecretDialog({ made, onClose }: { made: NewS3Key; onClose: () => void }) {
  const t = useT('objectStorage')
  const close = (isSaved: boolean) => {
    if (isSaved) return onClose()
    void confirm({
      ...{ title: t('keys.closeTitle'), text: t('keys.closeText'), verb: t('keys.closeVerb'), isDanger: true },
    }).then((isSure) => isSure && onClose())
  }
  return (
    <OneTimeSecretDialog
      title={t('keys.madeTitle')}
      warning={t('keys.once')}
      parts={[
        { label: t('keys.key'), text: made.acc_key },
        { label: t('keys.secret'), text: made.sec_key },
      ]}
      saveVerb={t('keys.save')}
      file={{ name: `${made.acc_key}.csv`, content: keyAsCsv(made), type: 'text/csv' }}
      closeVerb={t('close')}
      onClose={close}
    />
  )
}

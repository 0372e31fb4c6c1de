import { useState } from 'react'
import type { NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { saveAsFile } from '../../../api/download'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/confirm'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { DownloadIcon } from '../../../ui/icons'
import { Dialog } from '../../../ui/overlays/Dialog'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import css from './access.module.css'

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
/** As other S3 consoles save them, so that tools can read it. */
export const keyAsCsv = ({ acc_key: key, sec_key: secret }: Pick<NewS3Key, 'acc_key' | 'sec_key'>): string =>
  `Access key ID,Secret access key\r\n${cell(key)},${cell(secret)}\r\n`

/** A new key with its secret, the only time that it can be seen. */
export function SecretDialog({ made, onClose }: { made: NewS3Key; onClose: () => void }) {
  const t = useT('objectStorage')
  const [isSaved, setSaved] = useState(false)
  const save = () => {
    saveAsFile(`${made.acc_key}.csv`, keyAsCsv(made), 'text/csv')
    setSaved(true)
  }
  const close = () => {
    if (isSaved) return onClose()
    void confirm({
      ...{ title: t('keys.closeTitle'), text: t('keys.closeText'), verb: t('keys.closeVerb'), isDanger: true },
    }).then((isSure) => isSure && onClose())
  }
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      size="normal"
      title={t('keys.madeTitle')}
      onClose={close}
      footer={
        <>
          <Button onPress={close} variant={isSaved ? 'primary' : 'quiet'}>
            {t('close')}
          </Button>
          <Button icon={DownloadIcon} variant={isSaved ? 'quiet' : 'primary'} onPress={save}>
            {t('keys.save')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        <Banner tone="warn">{t('keys.once')}</Banner>
        <CodeBlock label={t('keys.key')}>{made.acc_key}</CodeBlock>
        <CodeBlock label={t('keys.secret')}>{made.sec_key}</CodeBlock>
      </div>
    </Dialog>
  )
}

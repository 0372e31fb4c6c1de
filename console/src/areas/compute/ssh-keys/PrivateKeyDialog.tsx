import { useState } from 'react'
import { saveAsFile } from '../../../api/download'
import { useT } from '../../../i18n/use-t'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { Dialog } from '../../../ui/overlays/Dialog'
import { DownloadIcon } from '../../../ui/icons'
import css from './PrivateKeyDialog.module.css'

interface PrivateKeyDialogProps {
  sshKey: { name: string; private_key: string }
  onClose: () => void
}

/** The private half of a pair, the only time that it can be seen. */
export function PrivateKeyDialog({ sshKey, onClose }: PrivateKeyDialogProps) {
  const t = useT('compute')
  const [isSaved, setSaved] = useState(false)
  const { name, private_key: privateKey } = sshKey
  const save = () => {
    saveAsFile(`${name.replaceAll(/[ /\\]+/g, '-')}.pem`, privateKey, 'application/x-pem-file')
    setSaved(true)
  }
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      size="normal"
      title={t('sshKeys.privateTitle', { name })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose} variant={isSaved ? 'primary' : 'quiet'}>
            {t('sshKeys.privateDone')}
          </Button>
          <Button icon={DownloadIcon} variant={isSaved ? 'quiet' : 'primary'} onPress={save}>
            {t('sshKeys.privateSave')}
          </Button>
        </>
      }
    >
      <div className={css.body}>
        <Banner tone="warn">{t('sshKeys.privateOnce')}</Banner>
        <CodeBlock label={t('sshKeys.privateTitle', { name })}>{privateKey}</CodeBlock>
      </div>
    </Dialog>
  )
}

import { useT } from '../../../i18n/use-t'
import { OneTimeSecretDialog } from '../../../patterns/dialogs/OneTimeSecretDialog'

interface PrivateKeyDialogProps {
  sshKey: { name: string; private_key: string }
  onClose: () => void
}

/** Shows the private key of a newly generated pair, which cannot be retrieved later. */
export function PrivateKeyDialog({ sshKey, onClose }: PrivateKeyDialogProps) {
  const t = useT('compute')
  const { name, private_key: content } = sshKey
  const title = t('sshKeys.privateTitle', { name })
  return (
    <OneTimeSecretDialog
      title={title}
      warning={t('sshKeys.privateOnce')}
      parts={[{ label: title, text: content }]}
      saveVerb={t('sshKeys.privateSave')}
      file={{ name: `${name.replaceAll(/[ /\\]+/g, '-')}.pem`, content, type: 'application/x-pem-file' }}
      closeVerb={t('sshKeys.privateDone')}
      onClose={onClose}
    />
  )
}

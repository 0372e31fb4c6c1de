import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { CopyableCode } from '../../ui/values/CopyableCode'

/** Shows a new token, which cannot be retrieved later. */
export function NewTokenDialog({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const t = useT('account')
  return (
    <Dialog
      isOpen
      isFirm
      title={t('token.made', { name })}
      onClose={onClose}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('token.done')}
        </Button>
      }
    >
      <p>{t('token.madeText')}</p>
      <p>
        <CopyableCode>{token}</CopyableCode>
      </p>
    </Dialog>
  )
}

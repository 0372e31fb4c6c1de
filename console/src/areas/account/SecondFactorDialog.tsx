import { CurrentPassword, secondFactor, SecondFactorCode } from '@mainstay/contract/identity/second-factor'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { useState } from 'react'
import * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { FormDialog } from '../../patterns/form/FormDialog'
import { PasswordField } from '../../patterns/form/PasswordField'
import { TextField } from '../../patterns/form/form-fields'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { CodeList } from '../../ui/values/CodeList'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { CopyButton } from '../../ui/values/CopyButton'
import { QrCode } from '../../ui/values/QrCode'

const unscoped = { isUnscoped: true }
const refresh = [secondFactor.state]
const Code = z.object({ code: SecondFactorCode })

interface SecondFactorDialogProps {
  way: 'setUp' | 'renew' | 'remove'
  onClose: () => void
}

/**
 * Every action asks for the password first. Setup then registers the authenticator app, verifies its first code and
 * shows the recovery codes.
 */
export default function SecondFactorDialog({ way, onClose }: SecondFactorDialogProps) {
  const [begun, setBegun] = useState<ReplyOf<typeof secondFactor.begin>>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />
  if (begun) return <FirstCode {...begun} onDone={setCodes} onClose={onClose} />
  return <AskPassword way={way} onBegun={setBegun} onCodes={setCodes} onClose={onClose} />
}

interface AskPasswordProps extends SecondFactorDialogProps {
  onBegun: (begun: ReplyOf<typeof secondFactor.begin>) => void
  onCodes: (codes: readonly string[]) => void
}

function AskPassword({ way, onBegun, onCodes, onClose }: AskPasswordProps) {
  const t = useT('account')
  const shell = useT('shell')
  const begin = useCall(secondFactor.begin)
  const renew = useCall(secondFactor.renewRecoveryCodes, { refresh })
  const remove = useCall(secondFactor.remove, { refresh })
  const texts = {
    setUp: { title: t('factor.beginTitle'), text: t('factor.beginText'), verb: t('factor.next') },
    renew: { title: t('factor.renew'), text: t('factor.renewText'), verb: t('factor.renew') },
    remove: { title: t('factor.removeTitle'), text: t('factor.removeText'), verb: t('factor.remove') },
  }[way]
  async function send(body: CurrentPassword) {
    if (way === 'setUp') return onBegun(await begin.run({ body }, unscoped))
    if (way === 'renew') return onCodes((await renew.run({ body }, unscoped)).recovery_codes)
    await remove.run({ body }, unscoped)
    toast(t('factor.removed'))
    onClose()
  }
  return (
    <FormDialog
      place="middle"
      title={texts.title}
      verb={texts.verb}
      schema={CurrentPassword}
      start={{ current_password: '' }}
      send={send}
      done={() => undefined}
      onClose={onClose}
    >
      <p>{texts.text}</p>
      <PasswordField
        name="current_password"
        label={shell('password.current')}
        autoComplete="current-password"
        autoFocus
      />
    </FormDialog>
  )
}

interface FirstCodeProps {
  secret: string
  uri: string
  onDone: (codes: readonly string[]) => void
  onClose: () => void
}

function FirstCode({ secret, uri, onDone, onClose }: FirstCodeProps) {
  const t = useT('account')
  const confirm = useCall(secondFactor.confirm, { refresh })
  return (
    <FormDialog
      place="middle"
      title={t('factor.beginTitle')}
      verb={t('factor.confirm')}
      schema={Code}
      start={{ code: '' }}
      send={(body) => confirm.run({ body }, unscoped)}
      done={({ recovery_codes }) => onDone(recovery_codes)}
      onClose={onClose}
    >
      <p>{t('factor.scan')}</p>
      <QrCode text={uri} label={t('factor.picture')} />
      <p>{t('factor.key', { key: <CopyableCode key="key">{secret}</CopyableCode> })}</p>
      <TextField
        name="code"
        label={t('factor.code')}
        help={t('factor.codeHelp')}
        autoComplete="one-time-code"
        autoFocus
      />
    </FormDialog>
  )
}

/** Shows the recovery codes, which cannot be displayed again. */
function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useT('account')
  return (
    <Dialog
      isOpen
      isFirm
      title={t('factor.codes')}
      onClose={onClose}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('factor.done')}
        </Button>
      }
    >
      <p>
        {t('factor.codesText')} <CopyButton value={codes.join('\n')} />
      </p>
      <CodeList codes={codes} />
    </Dialog>
  )
}

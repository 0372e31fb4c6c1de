import { PasskeyName, passkeys, type Passkey } from '@mainstay/contract/identity/passkeys'
import { CurrentPassword } from '@mainstay/contract/identity/second-factor'
import type * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { FormDialog } from '../../patterns/form/FormDialog'
import { PasswordField } from '../../patterns/form/PasswordField'
import { TextField } from '../../patterns/form/form-fields'
import { makePasskey, PasskeyError } from '../../session/passkey'
import { programName } from '../../lib/program-name'

const unscoped = { isUnscoped: true }
const refresh = [passkeys.own]
const Addition = PasskeyName.extend(CurrentPassword.shape)

export type PasskeyAsked = { way: 'add' } | { way: 'rename' | 'remove'; passkey: Passkey }

/** Adds, renames or removes a passkey. Adding and removing require the current password. */
export default function PasskeyDialog({ onClose, ...asked }: PasskeyAsked & { onClose: () => void }) {
  if (asked.way === 'add') return <Add onClose={onClose} />
  const Dialog = asked.way === 'rename' ? Rename : Remove
  return <Dialog passkey={asked.passkey} onClose={onClose} />
}

function CurrentPasswordField() {
  const shell = useT('shell')
  return <PasswordField name="current_password" label={shell('password.current')} autoComplete="current-password" />
}

function Add({ onClose }: { onClose: () => void }) {
  const t = useT('account')
  const begin = useCall(passkeys.begin)
  const create = useCall(passkeys.create, { refresh })
  const here = programName(navigator.userAgent)
  const usual = here?.system === undefined ? '' : t('system', { browser: here.browser, system: here.system })
  async function send({ name, current_password }: z.output<typeof Addition>) {
    const { publicKey } = await begin.run({ body: { current_password } }, unscoped)
    const credential = await makePasskey(publicKey).catch((thrown: unknown) => {
      throw thrown instanceof PasskeyError ? new Error(t(`passkey.lack.${thrown.lack}`)) : thrown
    })
    return create.run({ body: { name, credential } }, unscoped)
  }
  return (
    <FormDialog
      place="middle"
      title={t('passkey.add')}
      verb={t('passkey.add')}
      schema={Addition}
      start={{ name: usual, current_password: '' }}
      send={send}
      done={({ name }) => {
        toast(t('passkey.added', { name }))
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('passkey.addText')}</p>
      <TextField name="name" label={t('passkey.name')} help={t('passkey.nameHelp')} autoFocus />
      <CurrentPasswordField />
    </FormDialog>
  )
}

interface OfOne {
  passkey: Passkey
  onClose: () => void
}

function Rename({ passkey, onClose }: OfOne) {
  const t = useT('account')
  const rename = useCall(passkeys.rename, { refresh, done: () => toast(t('passkey.renamed')) })
  return (
    <FormDialog
      place="middle"
      title={t('passkey.renameTitle', { name: passkey.name })}
      verb={t('passkey.rename')}
      schema={PasskeyName}
      start={{ name: passkey.name }}
      send={(body) => rename.run({ params: { id: passkey.id }, body }, unscoped)}
      onClose={onClose}
    >
      <TextField name="name" label={t('passkey.name')} help={t('passkey.nameHelp')} autoFocus />
    </FormDialog>
  )
}

function Remove({ passkey: { id, name }, onClose }: OfOne) {
  const t = useT('account')
  const remove = useCall(passkeys.remove, { refresh, done: () => toast(t('passkey.removed', { name })) })
  return (
    <FormDialog
      place="middle"
      title={t('passkey.removeTitle', { name })}
      verb={t('passkey.remove')}
      schema={CurrentPassword}
      start={{ current_password: '' }}
      send={(body) => remove.run({ params: { id }, body }, unscoped)}
      onClose={onClose}
    >
      <p>{t('passkey.removeText')}</p>
      <CurrentPasswordField />
    </FormDialog>
  )
}

import type { CurrentUser } from '@mainstay/contract/identity/session'
import { passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { call } from '../../api/call'
import { useT } from '../../i18n/use-t'
import { PasskeyError, passkeyLack, usePasskey as answerByPasskey } from '../../session/passkey'
import { Button } from '../../ui/Button'
import { KeyIcon } from '../../ui/icons'
import type { NextStep } from '../../session/next-step'
import { Fault } from './Fault'
import { useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

interface PasskeySignInProps {
  enter: (proven: () => Promise<CurrentUser>) => Promise<void>
  onNext: (step: NextStep) => void
}

/** Sign-in with a passkey, or the reason why it is not available here. Loaded only if passkeys are in use. */
export default function PasskeySignIn({ enter, onNext }: PasskeySignInProps) {
  const t = useT('account')
  const shell = useT('shell')
  const lack = passkeyLack()
  const { fault, isBusy, isWaiting, submit } = useSteppedCredentials(
    shell,
    async () => {
      const { publicKey } = await call(passkeySignIn.passkeyChallenge, {})
      try {
        const body = await answerByPasskey(publicKey)
        await enter(() => call(passkeySignIn.passkey, { body }))
      } catch (thrown) {
        if (thrown instanceof PasskeyError) throw new Error(t(`passkey.lack.${thrown.lack}`))
        throw thrown
      }
    },
    onNext,
  )
  if (lack) return <p className={css.note}>{t(`passkey.lack.${lack}`)}</p>
  return (
    <>
      <Fault>{fault}</Fault>
      <Button
        icon={KeyIcon}
        className={css.provider}
        isBusy={isBusy}
        isDisabled={isWaiting}
        onPress={() => void submit()}
      >
        {t('passkey.signIn')}
      </Button>
    </>
  )
}

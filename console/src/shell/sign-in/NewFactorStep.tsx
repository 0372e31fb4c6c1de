import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { useState } from 'react'
import { call } from '../../api/call'
import { asProblem } from '../../api/problem'
import { useT } from '../../i18n/use-t'
import { programName } from '../../lib/program-name'
import { makePasskey, PasskeyError, passkeyLack } from '../../session/passkey'
import { Button } from '../../ui/Button'
import { CodeList } from '../../ui/values/CodeList'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { CopyButton } from '../../ui/values/CopyButton'
import { QrCode } from '../../ui/values/QrCode'
import { Fault } from './Fault'
import { OneTimeCode, useOneTimeCode } from './OneTimeCode'
import type { StepProps } from './step-props'
import { StepForm } from './StepForm'
import { useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

/** Sets up the second factor that the domain requires, then continues the sign-in with it. */
export default function NewFactorStep(props: StepProps) {
  const t = useT('account')
  const shell = useT('shell')
  const { step, enter, onNext } = props
  const { challenge } = step
  const lack = passkeyLack()
  const [app, setApp] = useState<ReplyOf<typeof signInSteps.beginCodes>>()
  const byPasskey = useSteppedCredentials(
    shell,
    async () => {
      const { publicKey } = await call(signInSteps.beginPasskey, { body: { challenge } })
      const credential = await makePasskey(publicKey).catch((thrown: unknown) => {
        throw thrown instanceof PasskeyError ? new Error(t(`passkey.lack.${thrown.lack}`)) : thrown
      })
      const here = programName(navigator.userAgent)
      const name =
        here?.system === undefined ? t('passkeys') : t('system', { browser: here.browser, system: here.system })
      await enter(() => call(signInSteps.addPasskey, { body: { challenge, name, credential } }))
    },
    onNext,
  )
  const byCodes = useSteppedCredentials(
    shell,
    async () => setApp(await call(signInSteps.beginCodes, { body: { challenge } })),
    onNext,
  )
  if (app) return <Codes {...props} {...app} />
  const isBusy = byPasskey.isBusy || byCodes.isBusy
  return (
    <div className={css.form}>
      <p>{t('step.factorText')}</p>
      <Fault>{byPasskey.fault ?? byCodes.fault}</Fault>
      {lack === null && (
        <Button variant="primary" className={css.provider} isBusy={isBusy} onPress={() => void byPasskey.submit()}>
          {t('step.factorPasskey')}
        </Button>
      )}
      <Button className={css.provider} isBusy={isBusy} onPress={() => void byCodes.submit()}>
        {t('step.factorCodes')}
      </Button>
    </div>
  )
}

/** Shows the key for the authenticator app, checks its first code, and shows the recovery codes before signing in. */
function Codes({ step, enter, onNext, secret, uri }: StepProps & { secret: string; uri: string }) {
  const t = useT('account')
  const shell = useT('shell')
  const typed = useOneTimeCode()
  const [done, setDone] = useState<ReplyOf<typeof signInSteps.confirmCodes>>()
  const confirming = useSteppedCredentials(
    shell,
    async () => {
      typed.setWrong(undefined)
      try {
        setDone(await call(signInSteps.confirmCodes, { body: { challenge: step.challenge, code: typed.code } }))
      } catch (thrown) {
        const [said] = asProblem(thrown).fields['code'] ?? []
        if (said === undefined) throw thrown
        typed.setWrong(said)
      }
    },
    onNext,
  )
  const entering = useSteppedCredentials(
    shell,
    async () => {
      if (done) await enter(() => Promise.resolve(done.user))
    },
    onNext,
  )
  if (done)
    return (
      <div className={css.form}>
        <p>
          {t('factor.codesText')} <CopyButton value={done.recovery_codes.join('\n')} />
        </p>
        <CodeList codes={done.recovery_codes} />
        <Fault>{entering.fault}</Fault>
        <Button
          variant="primary"
          className={css.submit}
          isBusy={entering.isBusy}
          onPress={() => void entering.submit()}
        >
          {t('step.factorKept')}
        </Button>
      </div>
    )
  return (
    <StepForm
      sending={confirming}
      isComplete={typed.isComplete}
      verb={t('factor.confirm')}
      intro={
        <>
          <p>{t('factor.scan')}</p>
          <QrCode text={uri} label={t('factor.picture')} />
          <p>{t('factor.key', { key: <CopyableCode key="key">{secret}</CopyableCode> })}</p>
        </>
      }
    >
      <OneTimeCode typed={typed} label={t('factor.code')} help={t('factor.codeHelp')} />
    </StepForm>
  )
}

import { NewPassword } from '@mainstay/contract/identity/password-rules'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import type { CurrentUser } from '@mainstay/contract/identity/session'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import * as z from 'zod'
import { call } from '../../api/call'
import { problemText } from '../../api/problem-text'
import { queryClient } from '../../api/query-client'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { paths } from '../../nav/paths'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useQuestion } from '../../patterns/dialogs/confirm'
import { FormBody } from '../../patterns/form/FormBody'
import { PasswordField } from '../../patterns/form/PasswordField'
import { PasswordRules } from '../../patterns/form/PasswordRules'
import { useForm } from '../../patterns/form/use-form'
import { nextStepOf } from '../../session/next-step'
import { enterBy } from '../../session/sign-in'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { PageSpinner } from '../PageSpinner'
import { SignInCard } from './SignInCard'
import SignInStep from './SignInStep'
import { useNextStep } from './use-next-step'
import css from './sign-in.module.css'

const ConfirmDialog = lazy(() => import('../../patterns/dialogs/ConfirmDialog'))

const Form = z
  .object({ new_password: NewPassword, confirm_password: z.string() })
  .refine((it) => it.new_password === it.confirm_password, {
    path: ['confirm_password'],
    message: 'The passwords do not match',
  })

/** `/password-link#…`: a user with a link from an administrator chooses a password and is signed in. */
export default function PasswordLinkPage() {
  const isAsking = useQuestion(({ asked }) => asked !== undefined)
  return (
    <QueryClientProvider client={queryClient}>
      <OpenedLink />
      <Suspense fallback={null}>{isAsking && <ConfirmDialog />}</Suspense>
    </QueryClientProvider>
  )
}

function OpenedLink() {
  const t = useT('account')
  const shell = useT('shell')
  // the browser does not send the fragment to any server
  const [token] = useState(() => location.hash.slice(1))
  const view = useView(passwordLinks.open, {}, { body: { token } })
  const { data, problem } = view
  if (problem?.kind === 'not-found' || problem?.status === 400)
    return (
      <SignInCard title={t('link.over')}>
        <p>{t('link.askAgain')}</p>
        <Link to={paths.login()}>{shell('signIn.submit')}</Link>
      </SignInCard>
    )
  if (problem)
    return (
      <SignInCard title={t('link.title')}>
        <Banner tone="bad" action={<Button onPress={view.reload}>{t('link.retry')}</Button>}>
          {problemText(problem, shell)}
        </Banner>
      </SignInCard>
    )
  return data ? <ChoosePassword token={token} user={data.user_name} domain={data.domain_name} /> : <PageSpinner />
}

function ChoosePassword({ token, user, domain }: { token: string; user: string; domain: string }) {
  const t = useT('account')
  const shell = useT('shell')
  const go = useAppNavigate()
  const [step, setStep] = useNextStep()
  const enter = (proven: () => Promise<CurrentUser>) => enterBy(proven, domain)
  const goHome = () => go(paths.home(), { replace: true })
  const state = useForm({
    schema: Form,
    start: { new_password: '', confirm_password: '' },
    // the password is set at this point, even if the sign-in needs further steps
    send: ({ new_password }) =>
      enter(() => call(passwordLinks.use, { body: { token, new_password } })).catch((thrown: unknown) => {
        const next = nextStepOf(thrown)
        if (!next) throw thrown
        return next
      }),
    done: (next) => (next ? setStep(next) : goHome()),
  })
  if (step)
    return (
      <SignInCard title={t('link.title')}>
        <SignInStep
          step={step}
          onNext={(next) => (next ? setStep(next) : go(paths.login(domain), { replace: true }))}
          enter={async (proven) => {
            await enter(proven)
            goHome()
          }}
        />
      </SignInCard>
    )
  return (
    <SignInCard title={t('link.title')}>
      <p>{t('link.who', { user: <bdi key="user">{user}</bdi>, domain: <bdi key="domain">{domain}</bdi> })}</p>
      <FormBody code="none" state={state} id="password-link">
        <input type="hidden" autoComplete="username" value={user} />
        <PasswordField
          name="new_password"
          label={shell('password.new')}
          autoComplete="new-password"
          checks="confirm_password"
          autoFocus
        />
        <PasswordRules field="new_password" />
        <PasswordField name="confirm_password" label={shell('password.confirm')} autoComplete="new-password" />
        <Button variant="primary" type="submit" className={css.submit} isBusy={state.isBusy}>
          {t('link.submit')}
        </Button>
      </FormBody>
    </SignInCard>
  )
}

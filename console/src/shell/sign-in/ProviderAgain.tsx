import { useT } from '../../i18n/use-t'
import { paths } from '../../nav/paths'
import { placeOf } from '../../nav/place'
import { leaveForProvider } from '../../session/hand-over'
import { sessionNow } from '../../session/session'
import { Button } from '../../ui/Button'
import { Fault } from './Fault'
import { useCredentials } from './use-credentials'
import css from './sign-in.module.css'

/** Redirects users from an identity provider to it to sign in again, and then returns them to this page. */
export default function ProviderAgain({ provider }: { provider: string }) {
  const t = useT('shell')
  const { fault, isBusy, isWaiting, submit } = useCredentials(t, () => {
    const { domain, project } = sessionNow()
    return leaveForProvider(provider, {
      domain,
      projectId: project?.id ?? null,
      successRedirect: placeOf(location),
      failureRedirect: paths.login(domain),
    })
  })
  return (
    <>
      <Fault>{fault}</Fault>
      <Button
        variant="primary"
        className={css.submit}
        isBusy={isBusy}
        isDisabled={isWaiting}
        onPress={() => void submit()}
      >
        {t('signIn.submit')}
      </Button>
    </>
  )
}

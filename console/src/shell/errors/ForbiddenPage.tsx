import { useRouter } from '@tanstack/react-router'
import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { buttonClass } from '../../ui/button-class'
import { LockIcon } from '../../ui/icons'
import { ErrorPageBody, GoHome } from './ErrorPageBody'

export default function ForbiddenPage() {
  const t = useT('errors')
  const shell = useT('shell')
  const { history } = useRouter()
  const isSignedIn = useSession(({ user }) => user !== null)
  return (
    <ErrorPageBody
      icon={LockIcon}
      title={t('error.forbidden.title')}
      text={t('error.forbidden.text')}
      actions={
        <>
          <Button onPress={() => history.back()}>{shell('go.back')}</Button>
          {isSignedIn && (
            <Link to="/account" search={{ why: 'asked' }} className={buttonClass({ variant: 'quiet' })}>
              {t('error.forbidden.why')}
            </Link>
          )}
          <GoHome />
        </>
      }
    />
  )
}

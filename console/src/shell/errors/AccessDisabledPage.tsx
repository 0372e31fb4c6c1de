import { useEffect } from 'react'
import { useT } from '../../i18n/use-t'
import { paths } from '../../nav/paths'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useSession } from '../../session/session'
import { signOut } from '../../session/sign-out'
import { Button } from '../../ui/Button'
import { LockIcon } from '../../ui/icons'
import { ErrorPageBody } from './ErrorPageBody'

export default function AccessDisabledPage() {
  const t = useT('errors')
  const shell = useT('shell')
  const go = useAppNavigate()
  const { accessDisabled, user, domain } = useSession()
  useEffect(() => {
    if (!accessDisabled) go(paths.home(), { replace: true })
  }, [accessDisabled, go])
  return (
    <ErrorPageBody
      icon={LockIcon}
      title={t('error.accessDisabled.title')}
      text={t('error.accessDisabled.text')}
      actions={
        <Button
          variant="primary"
          onPress={() => void (user ? signOut() : Promise.resolve()).then(() => go(paths.login(domain)))}
        >
          {shell(user ? 'user.signOut' : 'signIn.submit')}
        </Button>
      }
    />
  )
}

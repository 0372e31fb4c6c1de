import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { signOut } from '../../session/sign-out'
import { Button } from '../../ui/Button'
import { InstanceIcon } from '../../ui/icons'
import { ErrorPageBody } from './ErrorPageBody'

/** Shown if neither compute nor object storage is available, with advice on how to set them up. */
export default function NoServicePage() {
  const t = useT('errors')
  const shell = useT('shell')
  const advice = useSession(({ meta }) => meta?.services.compute.advice)
  return (
    <ErrorPageBody
      icon={InstanceIcon}
      title={t('error.noService.title')}
      text={
        <>
          <p>{t('error.noService.text')}</p>
          {advice && <p>{advice}</p>}
        </>
      }
      actions={<Button onPress={() => void signOut()}>{shell('user.signOut')}</Button>}
    />
  )
}

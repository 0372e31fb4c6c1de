import { useRouter } from '@tanstack/react-router'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { LockIcon } from '../../ui/icons'
import { ErrorPageBody } from './ErrorPageBody'
import { GoHome } from './GoHome'

export default function ForbiddenPage() {
  const t = useT('shell')
  const { history } = useRouter()
  return (
    <ErrorPageBody
      icon={LockIcon}
      title={t('error.forbidden.title')}
      text={t('error.forbidden.text')}
      actions={
        <>
          <Button onPress={() => history.back()}>{t('go.back')}</Button>
          <GoHome />
        </>
      }
    />
  )
}

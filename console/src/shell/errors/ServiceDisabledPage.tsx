import { useT } from '../../i18n/use-t'
import { LockIcon } from '../../ui/icons'
import { ErrorPageBody, GoHome } from './ErrorPageBody'

export default function ServiceDisabledPage() {
  const t = useT('errors')
  return (
    <ErrorPageBody
      icon={LockIcon}
      title={t('error.serviceDisabled.title')}
      text={t('error.serviceDisabled.text')}
      actions={<GoHome />}
    />
  )
}

import { useT } from '../../i18n/use-t'
import { BadIcon } from '../../ui/icons'
import { ErrorPageBody, GoHome } from './ErrorPageBody'

export default function GenericErrorPage() {
  const t = useT('errors')
  return (
    <ErrorPageBody
      icon={BadIcon}
      title={t('error.generic.title')}
      text={t('error.generic.text')}
      actions={<GoHome />}
    />
  )
}

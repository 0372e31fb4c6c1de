import { useT } from '../../i18n/use-t'
import { SearchIcon } from '../../ui/icons'
import { ErrorPageBody, GoHome } from './ErrorPageBody'

export default function NotFoundPage() {
  const t = useT('errors')
  return (
    <ErrorPageBody
      icon={SearchIcon}
      title={t('error.notFound.title')}
      text={t('error.notFound.text')}
      actions={<GoHome />}
    />
  )
}

import { useT } from '../../i18n/use-t'
import { BadIcon } from '../../ui/icons'
import { ErrorPageBody, GoHome } from './ErrorPageBody'

export default function ServerErrorPage() {
  const t = useT('errors')
  return (
    <ErrorPageBody icon={BadIcon} title={t('error.server.title')} text={t('error.server.text')} actions={<GoHome />} />
  )
}

import { useT } from '../../i18n/use-t'
import { ClockIcon } from '../../ui/icons'
import { ErrorPageBody } from './ErrorPageBody'
import { useUntilAnswer } from './use-until-answer'

export default function ReconfigurationPage() {
  const t = useT('errors')
  useUntilAnswer(5000)
  return (
    <ErrorPageBody icon={ClockIcon} title={t('error.reconfiguration.title')} text={t('error.reconfiguration.text')} />
  )
}

import { useT } from '../../i18n/use-t'
import { ClockIcon } from '../../ui/icons'
import { ErrorPageBody } from './ErrorPageBody'
import { useUntilAnswer } from './use-until-answer'

export default function UnavailablePage() {
  const t = useT('errors')
  useUntilAnswer(10_000)
  return <ErrorPageBody icon={ClockIcon} title={t('error.unavailable.title')} text={t('error.unavailable.text')} />
}

import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { paths } from '../../nav/paths'
import { buttonClass } from '../../ui/button-class'

export function GoHome() {
  const t = useT('shell')
  return (
    <Link to={paths.home()} className={buttonClass({ variant: 'primary' })}>
      {t('go.home')}
    </Link>
  )
}

import type { MaintenanceCheck } from '@mainstay/contract/infrastructure/node-maintenance'
import { useT } from '../../../../i18n/use-t'
import { viewPath } from '../../../../nav/known-pages'
import { Link } from '../../../../nav/Link'
import { Disclosure } from '../../../../ui/Disclosure'
import css from './maintenance.module.css'

/** Lists the objects affected by the mode chosen for a service, such as virtual machines that cannot be moved. */
export function AffectedObjects({ check: { service, objects } }: { check: MaintenanceCheck }) {
  const t = useT('nodes')
  if (objects.length === 0) return null
  return (
    <Disclosure
      title={t('maintenance.objects', { service: t(`maintenance.service.${service}`), count: objects.length })}
      isOpenAtFirst={objects.length <= 10}
    >
      <ul className={css.objects}>
        {objects.map(({ kind, id, name }) => {
          const to = viewPath(kind, id)
          return <li key={id}>{to === undefined ? <bdi>{name}</bdi> : <Link to={to}>{name}</Link>}</li>
        })}
      </ul>
    </Disclosure>
  )
}

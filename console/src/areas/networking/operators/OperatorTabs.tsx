import { addressUsePath, networkHostPath, physical, whoHasPath } from './paths'
import { useT } from '../../../i18n/use-t'
import { PageTabs } from '../../../patterns/PageTabs'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { networkResource } from '../networks/resource'

/** What operators look at beside the networks of everybody. */
export function OperatorTabs({ selected }: { selected: 'networks' | 'use' | 'who' | 'host' }) {
  const t = useT('networking')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  if (!isAllTenants || !may(physical.needs)) return null
  return (
    <PageTabs
      label={t('networks.title')}
      selected={selected}
      items={[
        { id: 'networks', label: t('networks.title'), to: networkResource.paths.list() },
        { id: 'use', label: t('operators.use'), to: addressUsePath },
        { id: 'who', label: t('operators.who'), to: whoHasPath },
        { id: 'host', label: t('operators.host'), to: networkHostPath },
      ]}
    />
  )
}

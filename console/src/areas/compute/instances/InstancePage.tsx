import { lazy, Suspense } from 'react'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { withTexts } from '../../../nav/with-texts'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam, useTab } from '../../../nav/use-param'
import { AlertsOf } from '../../../patterns/alerts/AlertsOf'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { useMay } from '../../../session/may'
import { InstanceHead } from './InstanceHead'
import { withPickers } from '../../../pickers/with-pickers'
import { instanceResource } from './resource'
import { useInstanceActions } from './use-instance-actions'

const tabs = {
  overview: lazy(() => import('./tabs/InstanceOverview')),
  console: lazy(() => import('./tabs/InstanceConsole')),
  log: lazy(() => import('./tabs/InstanceLog')),
  events: lazy(withTexts('alerts', () => import('./tabs/InstanceEvents'))),
  volumes: lazy(withPickers(() => import('./tabs/InstanceVolumes'))),
  monitoring: lazy(withTexts('monitoring', () => import('./tabs/InstanceMonitoring'))),
  network: lazy(withPickers(() => import('./tabs/InstanceNetwork'))),
  protection: lazy(withTexts('storage', () => import('./tabs/protection/InstanceProtection'))),
}

/** Instance details, in a drawer over the list. The selected tab is part of the URL. */
export default function InstancePage() {
  const t = useT('instance')
  const list = useT('instances')
  const go = useAppNavigate()
  const may = useMay()
  const id = useParam('id')
  const selected = useTab(tabs)
  const instance = useView(instances.view, { id }, { kind: instanceKind })
  const toList = () => go(instanceResource.paths.list(), { keepsSearch: true })
  const actions = useInstanceActions({ deleted: toList })
  const Panel = tabs[selected]
  const { data } = instance

  return (
    <DrawerPage
      view={instance}
      what={list('instances.one')}
      title={({ name }) => name}
      subtitle={(it) => <InstanceHead instance={it} actions={actions} />}
      actions={actions.all}
      closeTo={instanceResource.paths.list()}
      size="large"
      tabs={{
        selected,
        to: (tab) => (tab === 'overview' ? instanceResource.paths.view(id) : instanceResource.paths.below(id, tab)),
        items: [
          { id: 'overview', label: t('instances.tab.overview') },
          ...(may(metricQueries.range.needs) ? [{ id: 'monitoring', label: t('instances.tab.monitoring') }] : []),
          ...(may(instances.console.needs) ? [{ id: 'console', label: t('instances.tab.console') }] : []),
          ...(may(instances.log.needs) ? [{ id: 'log', label: t('instances.tab.log') }] : []),
          { id: 'events', label: t('instances.tab.events') },
          { id: 'volumes', label: t('instances.tab.volumes'), count: data?.volumes.length },
          { id: 'network', label: t('instances.tab.network'), count: data?.network_data.length },
          ...(may(volumeBackups.list.needs) ? [{ id: 'protection', label: t('instances.tab.protection') }] : []),
        ],
      }}
    >
      {(it) => (
        <Suspense fallback={null}>
          {/* alerts are hidden if the instance has a fault, which is shown instead */}
          {!it.fault && <AlertsOf kind={instanceKind.name} id={it.id} />}
          <Panel instance={it} />
        </Suspense>
      )}
    </DrawerPage>
  )
}

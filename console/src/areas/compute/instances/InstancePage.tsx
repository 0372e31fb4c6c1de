import { lazy, Suspense } from 'react'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useGo } from '../../../nav/use-go'
import { useOptionalParam, useParam } from '../../../nav/use-param'
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
  events: lazy(() => import('./tabs/InstanceEvents')),
  volumes: lazy(withPickers(() => import('./tabs/InstanceVolumes'))),
  network: lazy(withPickers(() => import('./tabs/InstanceNetwork'))),
}
type TabId = keyof typeof tabs

/** The details, at the end side over the list. The tab is part of the address. */
export default function InstancePage() {
  const t = useT('instances')
  const go = useGo()
  const may = useMay()
  const id = useParam('id')
  const wanted = useOptionalParam('tab')
  const selected: TabId = wanted !== undefined && Object.hasOwn(tabs, wanted) ? (wanted as TabId) : 'overview'
  const instance = useView(instances.view, { id }, { kind: instanceKind })
  const toList = () => go(instanceResource.paths.list(), { keepsSearch: true })
  const actions = useInstanceActions({ deleted: toList })
  const Panel = tabs[selected]
  const { data } = instance

  return (
    <DrawerPage
      view={instance}
      what={t('instances.one')}
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
          ...(may(instances.console.needs) ? [{ id: 'console', label: t('instances.tab.console') }] : []),
          ...(may(instances.log.needs) ? [{ id: 'log', label: t('instances.tab.log') }] : []),
          { id: 'events', label: t('instances.tab.events') },
          { id: 'volumes', label: t('instances.tab.volumes'), count: data?.volumes.length },
          { id: 'network', label: t('instances.tab.network'), count: data?.network_data.length },
        ],
      }}
    >
      {(it) => (
        <Suspense fallback={null}>
          <Panel instance={it} />
        </Suspense>
      )}
    </DrawerPage>
  )
}

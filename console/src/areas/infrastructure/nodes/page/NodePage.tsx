import { lazy, Suspense } from 'react'
import { nodeKind, nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam, useTab } from '../../../../nav/use-param'
import { withTexts } from '../../../../nav/with-texts'
import { ActionMenu } from '../../../../patterns/ActionMenu'
import { AlertsOf } from '../../../../patterns/alerts/AlertsOf'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Page } from '../../../../patterns/Page'
import { useMay } from '../../../../session/may'
import { Banner } from '../../../../ui/feedback/Banner'
import { Tabs } from '../../../../ui/Tabs'
import { NodeStatusBadge } from '../NodeStatusBadge'
import { nodePaths } from '../paths'
import { useNodeActions } from '../use-node-actions'
import { useNodeTasks } from '../use-node-tasks'
import { NodeHead } from './NodeHead'

const tabs = {
  overview: lazy(
    withTexts(
      'monitoring',
      withTexts('infrastructure', () => import('./NodeOverview')),
    ),
  ),
  disks: lazy(() => import('./NodeDisks')),
  network: lazy(() => import('./NodeNetwork')),
  events: lazy(withTexts('tasks', () => import('./NodeEvents'))),
}

/** `nodes/{id}/{tab?}`: a node with its load, services, hardware, disks, network interfaces and events. */
export default function NodePage() {
  const t = useT('nodes')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(nodes.view, { id }, { kind: nodeKind })
  const actions = useNodeActions(() => go(nodePaths.list()))
  useNodeTasks()
  const { data } = view
  const menu = data ? actions(data) : []
  return (
    <Page
      title={<bdi>{data?.host ?? t('one')}</bdi>}
      aside={data && <NodeStatusBadge node={data} />}
      actions={
        data && menu.length > 0 && <ActionMenu label={patterns('table.actionsOf', { name: data.host })} items={menu} />
      }
    >
      <ViewContent view={view}>{(node) => <Content node={node} />}</ViewContent>
    </Page>
  )
}

function Content({ node }: { node: Node }) {
  const t = useT('nodes')
  const go = useAppNavigate()
  const selected = useTab(tabs)
  const Panel = tabs[selected]
  return (
    <>
      <Away node={node} />
      <Prepared node={node} />
      <AlertsOf kind={nodeKind.name} id={node.id} />
      <NodeHead node={node} />
      <Tabs
        label={t('one')}
        items={[
          { id: 'overview', label: t('tab.overview') },
          { id: 'disks', label: t('disks'), count: node.spaces.disks },
          { id: 'network', label: t('tab.network') },
          { id: 'events', label: t('tab.events') },
        ]}
        selected={selected}
        onChange={(tab) =>
          go(tab === 'overview' ? nodePaths.view(node.id) : nodePaths.tab(node.id, tab), { replace: true })
        }
      >
        <Suspense fallback={null}>
          <Panel node={node} />
        </Suspense>
      </Tabs>
    </>
  )
}

/** Notes that the node's host is about to be reinstalled, with a link to create another command. */
function Prepared({ node: { id, activity, tasks } }: { node: Node }) {
  const t = useT('nodes')
  const mayCreate = useMay()(nodes.reinstall.needs)
  if (activity !== 'installing' || tasks.length > 0) return null
  return (
    <Banner
      tone="busy"
      title={t('reinstall.waiting')}
      action={mayCreate && <Link to={nodePaths.reinstall(id)}>{t('reinstall.newCommand')}</Link>}
    >
      {t('reinstall.waitingText')}
    </Banner>
  )
}

/** Explains why a node cannot be reached, and since when its metrics are outdated. */
function Away({ node: { host, is_online, seen_at, link } }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  if (is_online && link.problem === null) return null
  return (
    <Banner
      tone={is_online ? 'warn' : 'bad'}
      title={
        is_online
          ? t('problem', { name: host })
          : seen_at === null
            ? t('away', { name: host })
            : t('awaySince', { name: host, at: format.dateTime(seen_at) })
      }
    >
      {link.problem !== null && <p>{link.problem}</p>}
      {!is_online && seen_at !== null && <p>{t('awayText')}</p>}
    </Banner>
  )
}

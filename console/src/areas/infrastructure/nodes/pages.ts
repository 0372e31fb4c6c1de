import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import type texts from '../../../../locales/en/nodes.json'
import { route, type PageRoute } from '../../../nav/route'
import { tab } from '../../../patterns/resource/resource-pages'

declare module '../../../i18n/catalogues' {
  interface Catalogues {
    nodes: typeof texts
  }
}

const usual = { texts: 'nodes', panel: 'admin' } as const

/** Pages for nodes. Nodes have a host name instead of a name, so they do not use the pages of a standard resource. */
export const nodePages: readonly PageRoute[] = [
  route('nodes', () => import('./NodeListPage'), {
    ...usual,
    needs: nodes.list.needs,
    menu: { in: 'infrastructure', icon: 'HostsIcon', label: 'menu.nodes' },
    typed: { kind: nodeKind, needs: nodes.list.needs, to: '/nodes' },
  }),
  route('nodes/add', () => import('./registration/AddNode'), {
    ...usual,
    needs: nodeRegistration.generateToken.needs,
    title: 'add',
    over: 'nodes',
  }),
  route('nodes/$id', () => import('./page/NodePage'), {
    ...usual,
    needs: nodes.view.needs,
    title: 'one',
    shows: nodeKind.name,
  }),
  route('nodes/$id/$tab', tab, { ...usual, needs: nodes.view.needs, title: 'one', over: 'nodes/$id' }),
  route('nodes/$id/maintenance', () => import('./maintenance/MaintenancePage'), {
    ...usual,
    needs: nodeMaintenance.enter.needs,
    title: 'maintenance',
    over: 'nodes/$id',
  }),
  route('nodes/$id/reinstall', () => import('./registration/ReinstallPage'), {
    ...usual,
    needs: nodes.reinstall.needs,
    title: 'reinstall',
    over: 'nodes/$id',
  }),
]

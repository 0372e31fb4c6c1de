import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Translate } from '../../../i18n/use-t'

type Say = Translate<'nodes'>

/** Whether a task is changing the node. */
const isBusy = ({ activity, tasks }: Node) => tasks.length > 0 || activity === 'in_progress' || activity === 'releasing'

/** Why a node cannot enter maintenance now. */
export function noMaintenanceBecause(node: Node, t: Say): string | undefined {
  if (!node.is_online) return t('why.offline')
  return isBusy(node) || node.activity !== null ? t('why.busy') : undefined
}

/** Why a node cannot leave maintenance now. */
export const stillInMaintenanceBecause = (node: Node, t: Say): string | undefined =>
  isBusy(node) ? t('why.busy') : undefined

/** Why a node cannot be deleted now: only unassigned nodes and nodes that are offline can be. */
export function notDeletedBecause(node: Node, t: Say): string | undefined {
  if (node.link.by === 'local') return t('why.isHere')
  if (node.link.by === 'engine') return t('why.ofEngine')
  if (isBusy(node)) return t('why.busy')
  return node.is_assigned && node.is_online ? t('why.assigned') : undefined
}

/** Why the host of a node cannot be installed again now. */
export function notReinstalledBecause(node: Node, t: Say): string | undefined {
  if (isBusy(node)) return t('why.busy')
  return node.is_assigned && node.is_online && !node.maintenance ? t('why.inUse') : undefined
}

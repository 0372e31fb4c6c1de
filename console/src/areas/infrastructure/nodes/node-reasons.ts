import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Translate } from '../../../i18n/use-t'

type Say = Translate<'nodes'>

/** Whether a task changes the node as a whole, or it is entering or leaving maintenance. */
const isBusy = ({ activity, maintenance }: Node) =>
  activity !== null || maintenance?.state === 'suspending' || maintenance?.state === 'resuming'

/** Why a node cannot enter maintenance now. */
export function noMaintenanceBecause(node: Node, t: Say): string | undefined {
  if (!node.is_online) return t('why.offline')
  if (isBusy(node)) return t('why.busy')
  return node.is_assigned ? undefined : t('why.unassigned')
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
export const notReinstalledBecause = (node: Node, t: Say): string | undefined =>
  isBusy(node) ? t('why.busy') : undefined

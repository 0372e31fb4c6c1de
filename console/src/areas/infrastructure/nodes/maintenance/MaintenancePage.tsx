import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam, useSearchParam } from '../../../../nav/use-param'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Dialog } from '../../../../ui/overlays/Dialog'
import { nodePaths } from '../paths'
import { EnterMaintenance } from './EnterMaintenance'
import { LeaveMaintenance } from './LeaveMaintenance'

/**
 * `nodes/{id}/maintenance`: puts a node into maintenance or ends its maintenance. With `?action=leave`, the page ends a
 * maintenance that was only partly entered.
 */
export default function MaintenancePage() {
  const t = useT('nodes')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(nodes.view, { id }, { kind: nodeKind })
  const close = () => go(nodePaths.view(id), { replace: true })
  const isLeaving = useSearchParam('action') === 'leave'
  const { data } = view
  if (!data)
    return (
      <Dialog isOpen title={t('maintenance')} onClose={close}>
        <ViewContent view={view}>{() => null}</ViewContent>
      </Dialog>
    )
  const { maintenance } = data
  const canEnter = maintenance === null || (maintenance.state === 'suspend_incomplete' && !isLeaving)
  return canEnter ? <EnterMaintenance node={data} onClose={close} /> : <LeaveMaintenance node={data} onClose={close} />
}

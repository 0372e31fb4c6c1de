import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam } from '../../../../nav/use-param'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Dialog } from '../../../../ui/overlays/Dialog'
import { nodePaths } from '../paths'
import { EnterMaintenance } from './EnterMaintenance'
import { LeaveMaintenance } from './LeaveMaintenance'

/** `nodes/{id}/maintenance`: puts a node into maintenance, or returns it from there. */
export default function MaintenancePage() {
  const t = useT('nodes')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(nodes.view, { id }, { kind: nodeKind })
  const close = () => go(nodePaths.view(id), { replace: true })
  const { data } = view
  if (!data)
    return (
      <Dialog isOpen title={t('maintenance')} onClose={close}>
        <ViewContent view={view}>{() => null}</ViewContent>
      </Dialog>
    )
  return data.maintenance === null ? (
    <EnterMaintenance node={data} onClose={close} />
  ) : (
    <LeaveMaintenance node={data} onClose={close} />
  )
}

import { useState } from 'react'
import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../../api/problem-text'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { Checkbox } from '../../../../ui/fields/Checkbox'
import { Dialog } from '../../../../ui/overlays/Dialog'
import css from './maintenance.module.css'

/**
 * Ends the maintenance of a node. Virtual machines that were shut down are started again, unless that is deselected.
 */
export function LeaveMaintenance({ node: { id, host }, onClose }: { node: Node; onClose: () => void }) {
  const t = useT('nodes')
  const shell = useT('shell')
  const [isStarting, setStarting] = useState(true)
  const view = useView(nodeMaintenance.view, { id })
  const leave = useCall(nodeMaintenance.exit, { refresh: [nodes.list, nodes.view], done: onClose })
  const stopped = view.data?.stopped ?? []
  return (
    <Dialog
      isOpen
      isFirm
      size="normal"
      title={t('maintenance.leaveTitle', { name: host })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button
            variant="primary"
            isBusy={leave.isPending}
            isDisabled={view.data === undefined}
            onPress={() => leave.start({ params: { id }, body: isStarting ? {} : { compute_mode: 'ignore' } })}
          >
            {t('maintenance.leave')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        {leave.problem && <Banner tone="bad">{problemText(leave.problem, shell)}</Banner>}
        <p>{t('maintenance.leaveText')}</p>
        <ViewContent view={view}>
          {() =>
            stopped.length > 0 && (
              <>
                <Checkbox isSelected={isStarting} onChange={setStarting}>
                  {t('maintenance.startAgain', { count: stopped.length })}
                </Checkbox>
                <ul className={css.objects}>
                  {stopped.map((it) => (
                    <li key={it.id}>
                      <bdi>{it.name}</bdi>
                    </li>
                  ))}
                </ul>
              </>
            )
          }
        </ViewContent>
      </div>
    </Dialog>
  )
}

import { useState } from 'react'
import { whyNotReinstalled } from '@mainstay/contract/infrastructure/node-actions'
import { nodeKind, nodes, type NodeReinstall } from '@mainstay/contract/infrastructure/nodes'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { ruleTextNow } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam } from '../../../../nav/use-param'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { nodePaths } from '../paths'
import { NewCommand } from './NewCommand'
import css from './registration.module.css'
import { ShownCommand } from './ShownCommand'

/** `nodes/{id}/reinstall`: shows the command that reconnects a newly installed host to its existing node. */
export default function ReinstallPage() {
  const t = useT('nodes')
  const go = useAppNavigate()
  const id = useParam('id')
  const [prepared, setPrepared] = useState<NodeReinstall>()
  const view = useView(nodes.view, { id }, { kind: nodeKind })
  const prepare = useCall(nodes.reinstall, { refresh: [nodes.list, nodes.view], done: setPrepared })
  const close = () => go(nodePaths.view(id))
  return (
    <Drawer
      isOpen
      title={t('reinstall.title', { name: view.data?.host ?? '' })}
      onClose={close}
      footer={<Button onPress={close}>{t('close')}</Button>}
    >
      <ViewContent view={view}>
        {(node) => {
          const refusal = whyNotReinstalled(node)
          if (refusal !== null) return <Banner tone="warn">{ruleTextNow(refusal)}</Banner>
          return (
            <div className={css.part}>
              <p>{t('reinstall.text')}</p>
              {!prepared && node.activity === 'installing' && <p>{t('reinstall.prepared')}</p>}
              {prepared && (
                <ShownCommand command={prepared.command} expiresAt={prepared.expires_at} warning={prepared.warning} />
              )}
              <NewCommand
                hasCommand={prepared !== undefined}
                problem={prepare.problem}
                isBusy={prepare.isPending}
                onCreate={(ttl) => prepare.start({ params: { id }, body: { ttl } })}
              />
            </div>
          )
        }}
      </ViewContent>
    </Drawer>
  )
}

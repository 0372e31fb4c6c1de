import type { Instance } from '@mainstay/contract/compute/instances'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { LockFact } from '../../../../patterns/deletion-lock/LockFact'
import { Facts } from '../../../../patterns/Facts'
import { useMay } from '../../../../session/may'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { instanceResource } from '../resource'
import { InstanceServerGroup } from '../tabs/InstanceServerGroup'
import { useEngineHasHa } from '../use-engine-can'
import { Panel } from './Panel'

/**
 * Shows how the instance is protected. Omits features that this cloud does not support. Renders nothing if there is
 * nothing to show.
 */
export function Safeguards({ instance, isGone }: { instance: Instance; isGone: boolean }) {
  const t = useT('instance')
  const list = useT('instances')
  const locks = useT('locks')
  const format = useFormat()
  const may = useMay()
  const hasHa = useEngineHasHa()
  const { id, ha_enabled, network_data } = instance
  const open = [...new Set(network_data.filter((card) => !card.spoofing_protection).map((card) => card.network_name))]
  const hasGroups = may(serverGroups.list.needs) && !isGone
  if (isGone && !hasHa && network_data.length === 0) return null
  return (
    <Panel title={t('instances.page.safeguards')}>
      <Facts
        rows={[
          !isGone && [locks('fact'), <LockFact key="lock" resource={instanceResource} item={instance} />],
          hasHa && [
            list('instances.ha'),
            <StatusBadge key="ha" tone={ha_enabled ? 'ok' : 'idle'}>
              {list(ha_enabled ? 'instances.on' : 'instances.off')}
            </StatusBadge>,
          ],
          network_data.length > 0 && [
            t('instances.page.spoofing'),
            <StatusBadge key="spoofing" tone={open.length === 0 ? 'ok' : 'warn'}>
              {open.length === 0
                ? list('instances.on')
                : t('instances.page.spoofingOff', { networks: format.list(open) })}
            </StatusBadge>,
          ],
          hasGroups && [t('instances.serverGroup'), <InstanceServerGroup key="group" id={id} />],
        ]}
      />
    </Panel>
  )
}

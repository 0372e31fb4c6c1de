import { lazy, Suspense, useState } from 'react'
import { instances, type InstanceInterface } from '@mainstay/contract/compute/instances'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { confirm } from '../../../../patterns/dialogs/confirm'
import { useMay } from '../../../../session/may'
import { networkResource } from '../../../networking/networks/resource'
import { Link } from '../../../../nav/Link'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { IconButton } from '../../../../ui/IconButton'
import { AddIcon, DetachIcon, EditIcon, NetworkIcon } from '../../../../ui/icons'
import { Mono } from '../../../../ui/values/Mono'
import { AddInterfaceForm } from './AddInterfaceForm'
import { EditInterfaceForm } from './EditInterfaceForm'
import { InterfaceSecurity, useInterfacePorts } from './InterfaceSecurity'
import { ExplainedButton } from '../ExplainedButton'
import type { InstanceTabProps } from './tab-props'
import { whyNot } from '../instance-reasons'
import css from './small-table.module.css'

// charts and their UI strings are loaded after the interfaces
const PortTraffic = lazy(() => import('./PortTraffic').then((it) => ({ default: it.PortTraffic })))

/** An instance's network interfaces. */
export default function InstanceNetwork({ instance }: InstanceTabProps) {
  const t = useT('instance')
  const list = useT('instances')
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const detach = useCall(instances.detachInterface)
  const mayChange = may(instances.attachInterface.needs)
  const [edited, setEdited] = useState<InstanceInterface>()
  const cards = useInterfacePorts(instance.id)

  const askRemove = ({ port_id, network_name }: InstanceInterface) =>
    void confirm({
      title: t('instances.nic.removeTitle', { network: network_name, instance: instance.name }),
      text: t('instances.nic.removeText'),
      verb: t('instances.nic.removeVerb'),
      isDanger: true,
      run: (signal) => detach.run({ params: { id: instance.id, port_id } }, { signal }),
    })

  return (
    <>
      <div className={css.bar}>
        <span className={css.hint} />
        {mayChange && (
          <ExplainedButton
            size="small"
            icon={AddIcon}
            disabledBecause={whyNot('attachInterface', instance, list)}
            about={{ call: 'instances.attachInterface', thing: instance }}
            onPress={() => setAdding(true)}
          >
            {t('instances.nic.add')}
          </ExplainedButton>
        )}
      </div>
      {instance.network_data.length === 0 ? (
        <EmptyState icon={NetworkIcon}>{t('instances.nic.none')}</EmptyState>
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{list('instances.network')}</th>
              <th scope="col">{list('instances.addresses')}</th>
              {cards && (
                <th scope="col" className={css.wide}>
                  {t('instances.groups')}
                </th>
              )}
              <th scope="col" className={css.wide}>
                {t('instances.mac')}
              </th>
              {mayChange && (
                <th scope="col" className={css.end}>
                  {t('instances.actions')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {instance.network_data.map((card) => (
              <tr key={card.port_id}>
                <td>
                  {may(networkResource.calls.view.needs) ? (
                    <Link to={networkResource.paths.view(card.network_id)}>{card.network_name}</Link>
                  ) : (
                    <bdi>{card.network_name}</bdi>
                  )}
                </td>
                <td>
                  {card.fixed_ips.length === 0
                    ? '–'
                    : card.fixed_ips.map(({ ip_address }) => (
                        <div key={ip_address}>
                          <CopyableCode>{ip_address}</CopyableCode>
                        </div>
                      ))}
                </td>
                {cards && (
                  <td className={css.wide}>
                    <InterfaceSecurity cards={cards} portId={card.port_id} />
                  </td>
                )}
                <td className={css.wide}>
                  <Mono>{card.mac_addr}</Mono>
                </td>
                {mayChange && (
                  <td className={css.end}>
                    <span className={css.buttons}>
                      <IconButton
                        icon={EditIcon}
                        size="small"
                        label={t('instances.nic.editWhat', { network: card.network_name })}
                        onPress={() => setEdited(card)}
                      />
                      <IconButton
                        icon={DetachIcon}
                        size="small"
                        label={t('instances.nic.removeWhat', { network: card.network_name })}
                        disabledBecause={whyNot('detachInterface', instance, list)}
                        onPress={() => askRemove(card)}
                      />
                    </span>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Suspense fallback={null}>
        <PortTraffic instance={instance} />
      </Suspense>
      {edited && <EditInterfaceForm instance={instance} card={edited} onClose={() => setEdited(undefined)} />}
      {isAdding && <AddInterfaceForm instance={instance} onClose={() => setAdding(false)} />}
    </>
  )
}

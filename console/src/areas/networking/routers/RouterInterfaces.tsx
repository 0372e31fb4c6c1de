import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { floatingIpKind, floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks } from '@mainstay/contract/networking/networks'
import { routers, type Router, type RouterInterface } from '@mainstay/contract/networking/routers'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { AddLink } from '../../../patterns/AddLink'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { IconButton } from '../../../ui/IconButton'
import { DetachIcon, EditIcon, NetworkIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import { networkResource } from '../networks/resource'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { networkStatus } from '../status-words'
import { useSubnets } from '../../../pickers/networking-lists'
import { routerResource } from './resource'
import css from './routers.module.css'

const { paths } = routerResource

/**
 * The networks that a router connects, and what depends on each. An interface cannot be removed while floating IPs use
 * it.
 */
export function RouterInterfaces({ router }: { router: Router }) {
  const t = useT('networking')
  const may = useMay()
  const subnets = useSubnets().rows
  const floating = useList(floatingIps.list, floatingIpKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT, only: { router_id: router.id } },
    isEnabled: may(floatingIps.list.needs),
  }).rows
  const remove = useCall(routers.removeInterface, {
    refresh: [routers.list, routers.view, networks.list, networks.holders],
  })
  const mayChange = may(routers.update.needs)
  const add = (
    <AddLink to={paths.below(router.id, 'interfaces', 'add')} needs={routers.update.needs} isQuiet>
      {t('routers.addInterface')}
    </AddLink>
  )
  if (router.interfaces_info.length === 0)
    return (
      <EmptyState icon={NetworkIcon} action={add}>
        {t('routers.noNetworks')}
      </EmptyState>
    )

  const cidrsOf = ({ network_id }: RouterInterface) => subnets.filter((it) => it.network_id === network_id)
  const reliedOn = (card: RouterInterface) =>
    floating.filter(({ fixed_ip_address: fixed }) => {
      const address = fixed === null ? null : parseAddress(fixed)
      return address !== null && cidrsOf(card).some(({ cidr }) => isInRange(address, parseRange(cidr)!))
    })
  const askRemove = (card: RouterInterface) =>
    void confirm({
      title: t('routers.removeTitle', { network: card.network_name, name: router.name }),
      text: t('routers.removeText'),
      verb: t('routers.remove'),
      isDanger: true,
      run: (signal) => remove.run({ params: { id: router.id }, body: { network_id: card.network_id } }, { signal }),
    })

  return (
    <div className={css.part}>
      <SmallTable
        label={t('routers.interfaces')}
        rows={router.interfaces_info}
        keyOf={({ port_id }) => port_id}
        columns={[
          {
            id: 'network',
            label: t('networks.one'),
            render: ({ network_id, network_name }) => (
              <Link to={networkResource.paths.view(network_id)}>{network_name}</Link>
            ),
          },
          {
            id: 'subnet',
            label: t('networks.subnets'),
            isWide: true,
            render: (card) => (
              <span className={css.lines}>
                {cidrsOf(card).map(({ id, cidr }) => (
                  <Mono key={id}>{cidr}</Mono>
                ))}
              </span>
            ),
          },
          {
            id: 'address',
            label: t('routers.address'),
            render: ({ fixed_ips }) => (
              <span className={css.lines}>
                {fixed_ips.map(({ ip_address }) => (
                  <Mono key={ip_address}>{ip_address}</Mono>
                ))}
              </span>
            ),
          },
          {
            id: 'status',
            label: t('status'),
            isWide: true,
            render: (card) => {
              const { tone, text } = networkStatus(card, t)
              return <StatusBadge tone={tone}>{text}</StatusBadge>
            },
          },
          {
            id: 'relied',
            label: t('routers.reliedOn'),
            isWide: true,
            render: (card) => t('routers.floatingCount', { count: reliedOn(card).length }),
          },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  isAtEnd: true,
                  render: (card: RouterInterface) => {
                    const count = reliedOn(card).length
                    return (
                      <span className={css.buttons}>
                        <Link
                          to={paths.below(router.id, 'interfaces', card.port_id, 'edit')}
                          className={buttonClass({ variant: 'plain', size: 'small' })}
                        >
                          <EditIcon />
                          <VisuallyHidden>
                            {t('routers.editInterfaceOf', { network: card.network_name })}
                          </VisuallyHidden>
                        </Link>
                        <IconButton
                          icon={DetachIcon}
                          size="small"
                          label={t('routers.removeWhat', { network: card.network_name })}
                          disabledBecause={count > 0 ? t('routers.isReliedOn', { count }) : undefined}
                          onPress={() => askRemove(card)}
                        />
                      </span>
                    )
                  },
                },
              ]
            : []),
        ]}
      />
      {add}
    </div>
  )
}

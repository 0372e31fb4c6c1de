import type { NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import { columns, type Column } from '../../../patterns/table/columns'
import type { Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Badge } from '../../../ui/values/Badge'
import { Mono } from '../../../ui/values/Mono'
import { routerResource } from '../routers/resource'
import { networkStatus } from '../status-words'
import { NetworkTypes } from './NetworkTypes'
import { UseBar } from './UseBar'
import { isOfProject, modeKeys, modeOfNetwork } from './network-words'
import type { NetworkRow } from './network-row'
import { networkResource } from './resource'
import css from './networks.module.css'

const column = columns<NetworkRow>('networking')
const status = (network: NetworkRow, t: Translate<never>) => networkStatus(network, t as Translate<'networking'>)

const all: readonly Column<NetworkRow>[] = [
  column.link('name', 'name', networkResource.paths.view, { width: 200 }),
  column.status('status', 'status', status as never, { width: 110 }),
  column.node(
    'type',
    'networks.type',
    (network, { t }) => (
      <NetworkTypes network={network}>{network.shared && <Badge>{t('networks.shared')}</Badge>}</NetworkTypes>
    ),
    { width: 170, card: 'plain' },
  ),
  column.node(
    'subnets',
    'networks.subnets',
    ({ subnets }) =>
      subnets.length === 0 ? (
        <span className={css.dim}>–</span>
      ) : (
        <span className={css.lines}>
          {subnets
            .toSorted((a, b) => a.ip_version - b.ip_version)
            .map(({ id, cidr }) => (
              <Mono key={id}>{cidr}</Mono>
            ))}
        </span>
      ),
    { width: 170, card: 'plain' },
  ),
  column.node('use', 'networks.use', ({ use }) => <UseBar use={use} />, { width: 190 }),
  column.node(
    'router',
    'networks.router',
    ({ routers, ...network }, { tabIndex, t }) =>
      routers.length > 0 ? (
        <span className={css.lines}>
          {routers.map(({ id, name }) => (
            <Link key={id} to={routerResource.paths.view(id)} tabIndex={tabIndex}>
              {name}
            </Link>
          ))}
        </span>
      ) : (
        <span className={css.dim}>{isOfProject(network) ? t('networks.notConnectedYet') : '–'}</span>
      ),
    { width: 130 },
  ),
  column.node(
    'access',
    'networks.access',
    (network, { t }) => {
      const mode = modeOfNetwork(network)
      return mode === null ? <span className={css.dim}>–</span> : t(modeKeys[mode])
    },
    { width: 90 },
  ),
  column.node(
    'policies',
    'networks.sharedWith',
    ({ shared, rbac_policies }, { t }) =>
      shared ? t('access.everybody') : t('access.count', { count: rbac_policies.length }),
    { width: 100, isForAllTenants: true },
  ),
  column.project('project_id'),
  column.domain('domain_id'),
  column.number('mtu', 'networks.mtu', undefined, { isHidden: true, width: 80 }),
  column.created('created_at', { isHidden: true }),
  column.ownId(),
]

/**
 * Columns that are hidden for operators, who have separate pages for this information. The list shows the owner
 * instead.
 */
const elsewhereForOperators = new Set(['use', 'router'])

/** Columns that the engine supports. For all tenants, the list shows the owner instead of address usage and router. */
export const networkColumns = (
  can: NetworkingCapabilities | undefined,
  isAllTenants: boolean,
): readonly Column<NetworkRow>[] =>
  all
    .filter(({ id }) => id !== 'router' || !can || can.routers)
    .map((it) => (isAllTenants && elsewhereForOperators.has(it.id) ? { ...it, isHidden: true } : it))

import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { columns } from '../../../patterns/table/columns'
import { Badge } from '../../../ui/values/Badge'
import { Mono } from '../../../ui/values/Mono'
import { LoadBar } from './LoadBar'
import { memoryShare, readAtOf } from './node-load'
import { nodePaths } from './paths'
import { serviceText } from './node-status'
import { NodeStatusBadge } from './NodeStatusBadge'
import css from './nodes.module.css'

const column = columns<Node>('nodes')

/** Returns the names of a node's services as a list. */
export const serviceNames = ({ services }: Pick<Node, 'services'>, t: Translate<'nodes'>): string =>
  services.map(({ name }) => serviceText(name, t)).join(', ')

/** Columns of the node list. */
export const nodeColumns = [
  column.node(
    'host',
    'name',
    ({ id, host, is_primary, link }, { t, tabIndex }) => (
      <span className={css.name}>
        <Link to={nodePaths.view(id)} className={css.link} dir="auto" tabIndex={tabIndex}>
          {host}
        </Link>
        {(is_primary || link.by === 'local') && (
          <Badge tone={is_primary ? 'busy' : undefined}>{t(link.by === 'local' ? 'thisHost' : 'primary')}</Badge>
        )}
      </span>
    ),
    { width: 200 },
  ),
  column.node('status', 'status', (node) => <NodeStatusBadge node={node} />, { width: 170, card: 'state' }),
  column.node('services', 'services', (node, { t }) => serviceNames(node, t) || null, { width: 220, card: 'plain' }),
  column.node('address', 'address', ({ ip_addrs: [first] }) => (first === undefined ? null : <Mono>{first}</Mono>), {
    width: 130,
    card: 'plain',
  }),
  column.node('cpu', 'cpu', (node) => <LoadBar share={node.cpu?.usage ?? null} readAt={readAtOf(node)} />, {
    width: 130,
  }),
  column.node('ram', 'memory', (node) => <LoadBar share={memoryShare(node)} readAt={readAtOf(node)} />, { width: 130 }),
  column.node(
    'disks',
    'disks',
    ({ spaces: { disks, failed_disks } }, { t }) => (
      <span className={failed_disks > 0 ? css.bad : undefined}>
        {t('disksOf', { count: disks - failed_disks, total: disks })}
      </span>
    ),
    { width: 90, isAtEnd: true },
  ),
  column.id('rackId', 'rack', { isHidden: true }),
  column.time('seen_at', 'seenAt', { isHidden: true }),
  column.created('created_at', { isHidden: true }),
  column.ownId(),
]
